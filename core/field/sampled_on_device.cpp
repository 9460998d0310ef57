/// Sampled where fields live on a device: samples are gathered, computed and interpolated there;
/// what ranks need from each other travels through the memory of the processor.
#include <algorithm>
#include <numeric>
#include "field/sampled.hpp"
#include "field/samples.hpp"

namespace fathom {

struct Sampled::There {
    std::shared_ptr<Device> device;
    Device::Kernel kernel;
    std::shared_ptr<const void> scheme;  ///< as the kernel wants it
    std::unique_ptr<SamplesOnDevice> samples;
    std::size_t count;  ///< samples, whole cells
    DeviceMemory fields, cells, out, in;
    std::vector<std::size_t> begins;  ///< of each field
    std::vector<std::byte> sent, received;
    std::size_t number_of_cells;
};

bool Sampled::lives_on(Device& device) {
    const auto own = [](const Process::Field& f) { return f.own > 0; };
    return std::ranges::none_of(process.fields, own) &&
           (device.kernel(process.entry, 4) || device.kernel(process.entry, 8));
}

/// The samples of this rank, those asked for and the columns between, on the device.
std::shared_ptr<Sampled::There> Sampled::settle(const std::shared_ptr<Device>& device, Given at,
                                                std::size_t each) {
    const int bytes = at.set.bytes(), levels = at.set.domain().levels, cell = at.set.layout->cell;
    auto made = std::make_shared<There>();
    made->device = device, made->kernel = device->kernel(process.entry, bytes);
    SamplePoints points{{}, asked, {}, each, bytes};
    for (auto& c : own) points.samples.push_back({c.block, c.row, c.column});
    while (!own.empty() && points.samples.size() % std::size_t(cell))
        points.samples.push_back(points.samples.back());
    for (auto& s : stretches)
        for (int c = 0; c < s.count; ++c) {
            const auto& [from, weight] = around[s.first + std::size_t(c)];
            auto& to = points.between.emplace_back();
            to.point = {s.block, s.row, s.column + c};
            std::ranges::copy(from, to.samples), std::ranges::copy(weight, to.weights);
        }
    made->samples = device->samples(points);
    made->count = points.samples.size();
    made->scheme = device->settled(process.entry, process.scheme, bytes, made->count, levels);
    std::vector<Cell> cells;
    for (std::size_t n = 0; n < made->count; n += std::size_t(cell))
        cells.push_back({int(n), levels});
    made->number_of_cells = cells.size();
    made->cells = on_device(device, cells.data(), cells.size());
    const Bundle layout = bundle(made->count, levels);
    for (const std::size_t begin : layout.begins)
        made->begins.push_back(begin * std::size_t(bytes));
    const std::size_t sample = each * std::size_t(bytes);
    made->fields = DeviceMemory(device, layout.size * std::size_t(bytes) + 64);
    made->sent.resize(asked.size() * sample);
    made->received.resize(std::accumulate(receives.begin(), receives.end(), std::size_t(0)) *
                          sample);
    made->out = DeviceMemory(device, made->sent.size() + 64);
    made->in = DeviceMemory(device, made->received.size() + 64);
    device->wait();
    return made;
}

bool Sampled::apply_on(Device& device, Given at) {
    if (!lives_on(device)) return false;
    const std::size_t each = results(at);
    if (!there || there->device.get() != &device)
        there = settle(device.shared_from_this(), at, each);
    compute_there(at);
    if (sends.size() > 1) travel(each * std::size_t(at.set.bytes()));
    const std::byte* const received = sends.size() > 1 ? there->in.at : there->out.at;
    each_result(at, [&](std::size_t p, std::size_t first, int levels) {
        there->samples->interpolate(received, first, levels, at.on_device(items[p]));
    });
    device.wait();
    return true;
}

/// Results of the samples that are asked for: in there->out.
void Sampled::compute_there(Given at) {
    const std::byte* const first = there->fields.at;
    std::vector<Raw> raw;
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& use = process.fields[p];
        const Field f = at.on_device(items[p]);
        if (!travels(use)) {
            raw.push_back({f.at[0], 1, 0});
            continue;
        }
        std::byte* const values = there->fields.at + there->begins[p];
        const bool flat = use.place.vertical == Vertical::column;
        raw.push_back({values, flat ? 0 : std::ptrdiff_t(there->count), 0});
        if (use.access == Access::reads)
            there->samples->take(f, numbers(use.place, at.set.domain().levels), values);
    }
    const Cell* const cells = (const Cell*)there->cells.at;
    if (there->number_of_cells)
        there->kernel(there->scheme.get(), raw.data(), cells, cells + there->number_of_cells);
    each_result(at, [&](std::size_t p, std::size_t number, int levels) {
        there->samples->ask(first + there->begins[p], levels, number, there->out.at);
    });
}

/// From there->out of all ranks to there->in; bytes: of a sample.
void Sampled::travel(std::size_t bytes) {
    Device& device = *there->device;
    device.copy(there->sent.data(), there->out.at, there->sent.size(), Device::Way::to_host);
    exchange(there->sent.data(), there->received.data(), bytes);
    device.copy(there->in.at, there->received.data(), there->received.size(),
                Device::Way::to_device);
}

}  // namespace fathom
