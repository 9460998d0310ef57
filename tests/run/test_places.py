"""Where ranks lie: the order in which pieces of a grid go to them, node by node."""

from fathom.base.places import Place, by_node, spans, told


def test_pieces_go_to_one_node_after_the_other():
    assert by_node([Place(0, (0,)), Place(0, (1,)), Place(2, (0,))]) == []
    dealt = [Place(0, (0,)), Place(1, (0,)), Place(0, (1,)), Place(1, (1,))]
    assert by_node(dealt) == [0, 2, 1, 3]


def test_what_is_told():
    places = [Place(0, (0, 1))] * 3 + [Place(3, (4, 5, 7))]
    assert told(places) == {
        "nodes": ["0-2", "3"],
        "cores": ["0-1", "4-5, 7"],
        "ranks_without_a_core": 1,
    }
    assert spans([]) == ""
