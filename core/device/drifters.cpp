/// Drifters on a device: one thread for each.
#include <vector>
#include "device/engines.hpp"
#include "machine/launch.hpp"
#include "ocean/drifters/motion.hpp"

namespace fathom {

namespace {

using namespace ocean;

template <class Number> struct Move {
    Drift<Number> drift;
    const DriftBlock* blocks;
    const int* block_of;
    Drifter* drifters;
    constexpr void operator()(std::size_t n) const {
        drifters[n] = drift.moved(blocks[block_of[n]], drifters[n]);
    }
};

class Drifting final : public DriftersOnDevice {
public:
    Drifting(std::shared_ptr<Device> given, std::span<const DriftBlock> blocks, double step,
             bool flat)
        : device(std::move(given)),
          step(step),
          flat(flat),
          here(blocks.begin(), blocks.end()),
          blocks(device, blocks.size_bytes() + 1) {
        for (auto& block : here)
            for (auto which : {&DriftBlock::wet, &DriftBlock::wet_corners}) {
                wet.push_back(on_device(device, block.*which, block.rows * block.columns));
                block.*which = (const int*)wet.back().at;
            }
        device->wait();
    }
    void move(std::span<Drifter> own, std::span<const int> block_of,
              std::span<const DriftBlock> given, int bytes) override {
        if (own.empty()) return;
        for (std::size_t b = 0; b < here.size(); ++b) {
            const auto wet = here[b].wet, wet_corners = here[b].wet_corners;
            here[b] = given[b];
            here[b].wet = wet, here[b].wet_corners = wet_corners;
        }
        if (own.size() > room) {
            room = own.size();
            drifters = DeviceMemory(device, room * sizeof(Drifter));
            numbers = DeviceMemory(device, room * sizeof(int));
        }
        const auto to_device = Device::Way::to_device;
        device->copy(blocks.at, here.data(), here.size() * sizeof(DriftBlock), to_device);
        device->copy(numbers.at, block_of.data(), block_of.size_bytes(), to_device);
        device->copy(drifters.at, own.data(), own.size_bytes(), to_device);
        const auto launch = [&]<class Number>(Number) {
            launch::each(own.size(), Move<Number>{{step, flat},
                                                  (const DriftBlock*)blocks.at,
                                                  (const int*)numbers.at,
                                                  (Drifter*)drifters.at});
        };
        bytes == 4 ? launch(float()) : launch(double());
        device->copy(own.data(), drifters.at, own.size_bytes(), Device::Way::to_host);
    }

private:
    std::shared_ptr<Device> device;
    double step;
    bool flat;
    std::vector<DriftBlock> here;
    std::vector<DeviceMemory> wet;
    DeviceMemory blocks, drifters, numbers;  // numbers: of the block of each drifter
    std::size_t room = 0;                    // for drifters
};

std::unique_ptr<DriftersOnDevice> drifters_of(std::shared_ptr<Device> device,
                                              const std::span<const DriftBlock>& blocks,
                                              const double& step, const bool& flat) {
    return std::make_unique<Drifting>(std::move(device), blocks, step, flat);
}

const Registered drifters(drifters_of);

}  // namespace

}  // namespace fathom
