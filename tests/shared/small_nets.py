"""Nets of one or two layers as files of ONNX."""

import json
import os

import numpy as np
import onnx
from onnx import helper, numpy_helper

FLOAT = onnx.TensorProto.FLOAT


def net(
    file, weights, biases, *, input="x", output="y", columns="columns", declared=None, last="",
    domain="",
):  # fmt: skip
    """Writes tanh(x W1 + b1) W2 + b2 ... to a file. declared: fields, as its metadata; last: an
    operator at its end.
    """
    nodes, numbers, now = [], [], input
    for n, (W, b) in enumerate(zip(weights, biases)):
        numbers += [
            numpy_helper.from_array(np.asarray(W, np.float32), f"W{n}"),
            numpy_helper.from_array(np.asarray(b, np.float32), f"b{n}"),
        ]
        end = n + 1 == len(weights)
        nodes.append(
            helper.make_node(
                "Gemm", [now, f"W{n}", f"b{n}"], [output if end and not last else f"g{n}"]
            )
        )
        now = f"g{n}"
        if not end:
            nodes.append(helper.make_node("Tanh", [now], [f"h{n}"]))
            now = f"h{n}"
    if last:
        nodes.append(helper.make_node(last, [now], [output], domain=domain))
    of = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "net",
        [of(input, FLOAT, [columns, len(weights[0])])],
        [of(output, FLOAT, [columns, np.shape(weights[-1])[1]])],
        numbers,
    )
    opsets = [helper.make_opsetid("", 17)] + [helper.make_opsetid(domain, 1)] * bool(domain)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    if declared is not None:
        helper.set_model_props(model, {"fathom": json.dumps(declared)})
    own = f"{file}.{os.getpid()}"  # several ranks may write the same file
    onnx.save(model, own)
    os.replace(own, file)
    return file
