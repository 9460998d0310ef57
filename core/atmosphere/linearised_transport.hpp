/// Semi-Lagrangian transport about the state of one step, as a global process keeps it for its
/// tangent and its adjoint: trajectories and the fields transported along them, or tracers along
/// the trajectories of another process.
#pragma once
#include "field/linearisation.hpp"
#include "semi_lagrangian/adjoint/linear_transport.hpp"

namespace fathom::atmosphere {

/// Fields: which fields of a set are the winds, `now` and `next`, and which are `carried`.
template <class T, class Fields> class LinearisedTransport final : public Linearisation {
    using Given = GlobalProcess::Given;
    using About = typename LinearTransport<T>::About;

public:
    LinearisedTransport(LinearTransport<T>& transport, Fields fields)
        : transport(transport), fields(std::move(fields)), about(std::make_shared<About>()) {}
    void follow(Given state, bool single) {
        transport.follow(fields.now(state), fields.next(state), single, *about);
        transport.follow(fields.carried(state), true, single, *about, of_carried);
        transport.latest = about;
    }
    void tangent(Given change) override {
        transport.tangent(*about, fields.now(change), fields.next(change));
        transport.tangent(*about, of_carried, fields.carried(change), true);
    }
    void adjoint(Given gradient) override {
        transport.adjoint(*about, of_carried, fields.carried(gradient), true);
        transport.adjoint(*about, fields.now(gradient), fields.next(gradient));
    }
    std::size_t bytes() const override { return about->bytes() + of_carried.bytes(); }

private:
    LinearTransport<T>& transport;
    Fields fields;
    std::shared_ptr<About> about;
    Rounded<T> of_carried;
};

/// Groups of up to four tracers, from fields(at). The process before gives the perturbation of
/// trajectories.
template <class T, class Fields> class LinearisedTracers final : public Linearisation {
    using Given = GlobalProcess::Given;

public:
    LinearisedTracers(LinearTransport<T>& transport, Fields fields)
        : transport(transport), fields(std::move(fields)) {}
    void follow(Given state, bool single) {
        about = transport.latest;
        const auto groups = fields(state);
        of.resize(groups.size());
        for (std::size_t n = 0; n < groups.size(); ++n)
            transport.follow(groups[n], false, single, *about, of[n]);
    }
    void tangent(Given change) override {
        const auto groups = fields(change);
        for (std::size_t n = 0; n < groups.size(); ++n)
            transport.tangent(*about, of[n], groups[n], false);
    }
    void adjoint(Given gradient) override {
        const auto groups = fields(gradient);
        for (std::size_t n = groups.size(); n-- > 0;)
            transport.adjoint(*about, of[n], groups[n], false);
    }
    std::size_t bytes() const override {
        std::size_t sum = 0;
        for (auto& group : of) sum += group.bytes();
        return sum;
    }

private:
    LinearTransport<T>& transport;
    Fields fields;
    std::shared_ptr<typename LinearTransport<T>::About> about;
    std::vector<Rounded<T>> of;
};

/// About this state; in the memory of an earlier one, if there is any.
template <class Linearised, class Transport, class Fields>
std::unique_ptr<Linearisation> linearised(Transport& transport, Fields fields,
                                          GlobalProcess::Given state, bool single,
                                          std::unique_ptr<Linearisation> earlier) {
    if (!earlier) earlier = std::make_unique<Linearised>(transport, std::move(fields));
    static_cast<Linearised&>(*earlier).follow(state, single);
    return earlier;
}

}  // namespace fathom::atmosphere
