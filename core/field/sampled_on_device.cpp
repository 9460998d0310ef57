/// Sampled where fields live on a device: samples are computed and interpolated there; what ranks
/// need from each other travels through the memory of the processor.
#include <algorithm>
#include <numeric>
#include "field/columns.hpp"
#include "field/sampled.hpp"

namespace fathom {

struct Sampled::Samples {
    std::shared_ptr<Device> device;
    std::unique_ptr<ColumnsOnDevice> asked;
    std::unique_ptr<SamplesOnDevice> samples;
    DeviceMemory out, in;
    std::vector<std::byte> sent, received;
};

/// The samples that are asked for and the columns between, on the device.
std::shared_ptr<Sampled::Samples> Sampled::settle(const std::shared_ptr<Device>& device, Given at,
                                                  std::size_t each) const {
    const int bytes = at.set.bytes();
    auto made = std::make_shared<Samples>();
    made->device = device;
    std::vector<ColumnPoint> points;
    for (const int n : asked) points.push_back({own[n].block, own[n].row, own[n].column});
    made->asked = device->make<ColumnsOnDevice>(bytes);
    made->asked->choose(points);
    SamplePoints all{{}, each, bytes};
    for (auto& s : stretches)
        for (int c = 0; c < s.count; ++c) {
            const auto& [from, weight] = around[s.first + std::size_t(c)];
            auto& to = all.between.emplace_back();
            to.point = {s.block, s.row, s.column + c};
            std::ranges::copy(from, to.samples), std::ranges::copy(weight, to.weights);
        }
    made->samples = device->make<SamplesOnDevice>(all);
    const std::size_t sample = each * std::size_t(bytes);
    made->sent.resize(asked.size() * sample);
    made->received.resize(std::accumulate(receives.begin(), receives.end(), std::size_t(0)) *
                          sample);
    made->out = DeviceMemory(device, made->sent.size() + 64);
    made->in = DeviceMemory(device, made->received.size() + 64);
    return made;
}

bool Sampled::apply_on(Device& device, Given at) {
    if (!lives_on(device)) return false;
    const std::size_t each = results(at), bytes = std::size_t(at.set.bytes());
    if (!settled || settled->device.get() != &device)
        settled = settle(device.shared_from_this(), at, each);
    compute(at);
    each_result(at, [&](std::size_t p, std::size_t first, int levels) {
        settled->asked->take(at.on_device(items[p]), levels,
                             {settled->out.at + first * bytes, each, 1});
    });
    if (sends.size() > 1) travel(each * bytes);
    const std::byte* const received = sends.size() > 1 ? settled->in.at : settled->out.at;
    each_result(at, [&](std::size_t p, std::size_t first, int levels) {
        settled->samples->interpolate(received, first, levels, at.on_device(items[p]));
    });
    device.wait();
    return true;
}

/// From the samples sent by all ranks to those received; bytes: of a sample.
void Sampled::travel(std::size_t bytes) {
    Samples& s = *settled;
    s.device->copy(s.sent.data(), s.out.at, s.sent.size(), Device::Way::to_host);
    exchange(s.sent.data(), s.received.data(), bytes);
    s.device->copy(s.in.at, s.received.data(), s.received.size(), Device::Way::to_device);
}

}  // namespace fathom
