/// Device: a second machine with separate memory, on which kernels run. This header lists what a
/// model can ask of it; the work is in the .cpp files of core/device. These are compiled twice:
/// into the core, where the processor acts as the device (for tests, and without a device: the same
/// kernels, the same launches, separate memory), and by nvcc as a library that the core loads
/// (fathom/model/device.py). They use the launcher (machine/launch.hpp) and no part of CUDA;
/// memory, copies and recordings are in device/machine.cpp. All work is done in the order of the
/// calls; only `wait` and copies to the host wait for it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>

namespace fathom {

class Device : public std::enable_shared_from_this<Device> {
public:
    Device() = default;
    Device(const Device&) = delete;
    virtual ~Device() = default;

    virtual std::string name() const = 0;  ///< "NVIDIA H200"
    virtual std::size_t free_memory() const = 0;
    virtual std::size_t cache() const = 0;  ///< bytes between its memory and its arithmetic units

    virtual std::byte* allocate(std::size_t bytes) = 0;  ///< zero
    virtual void release(std::byte*) noexcept = 0;
    enum class Way { to_device, to_host, within };
    virtual void copy(void* to, const void* from, std::size_t bytes, Way) = 0;
    std::size_t travelled = 0;  ///< bytes copied to it and from it
    virtual void clear(std::byte*, std::size_t bytes) = 0;
    virtual void wait() = 0;
    /// A mark in the order of work; seconds between two of them, when both are reached.
    virtual void mark(int n) = 0;
    virtual double between(int first, int second) = 0;

    /// A function whose type the caller knows.
    using AnyFunction = void (*)();
    template <class Engine, class... Arguments>
    using Maker = std::unique_ptr<Engine> (*)(std::shared_ptr<Device>, const Arguments&...);
    /// The work of a folder above on this device: an engine of the type that it declares, from
    /// exactly these types of arguments. core/device registers them by the name of this type
    /// (device/engines.hpp). Error: there is none.
    template <class Engine, class... Arguments>
    std::unique_ptr<Engine> make(const Arguments&... arguments) {
        using Make = Maker<Engine, Arguments...>;
        return ((Make)engine(typeid(Make).name()))(shared_from_this(), arguments...);
    }
    virtual AnyFunction engine(const std::string& name) const = 0;

    /// The kernel of a scheme of the catalogue, a Process::Run (field/process.hpp), for numbers of
    /// 4 or 8 bytes; its cells and fields are in memory of the device; null: there is none.
    virtual AnyFunction kernel(const std::string& scheme, int bytes) const = 0;
    /// The scheme as its kernel here wants it, for up to so many columns: itself, or with what it
    /// has of tables and memory on the device.
    virtual std::shared_ptr<const void> settled(const std::string& name,
                                                std::shared_ptr<const void> scheme, int bytes,
                                                std::size_t columns, int layers) = 0;

    /// Single numbers of 4 or 8 bytes, anywhere in memory of the device: copied to the host and
    /// back; each place occurs once.
    virtual void gather(std::span<const std::byte* const>, int bytes, double* values) = 0;
    virtual void scatter(std::span<std::byte* const>, int bytes, const double* values) = 0;
    /// Adds x to all numbers of rows that lie `row` numbers apart.
    struct Rows {
        std::byte* first;
        std::ptrdiff_t row;
        int rows, columns;
    };
    virtual void add(double x, const Rows&, int bytes) = 0;
    /// What is launched between `record` and `recorded` is not run but kept, as one piece, which
    /// `replay` runs as often as needed: one launch instead of many. No copies to or from the host.
    class Recording {
    public:
        virtual ~Recording() = default;
        virtual void replay() = 0;
    };
    virtual bool records() const { return true; }
    virtual void record() = 0;
    /// During recording: the calls that follow belong to a branch, 0 at the beginning; branches run
    /// concurrently. `reached` names a position in the branch; `after` lets the branch wait for a
    /// named position. At the end branch 0 waits for all others.
    virtual void branch(int) {}
    virtual void reached(int) {}
    virtual void after(int) {}
    virtual std::unique_ptr<Recording> recorded() = 0;
};

/// Memory of a device, zero.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(std::shared_ptr<Device> on, std::size_t bytes)
        : device(std::move(on)), bytes(bytes), at(device->allocate(bytes)) {}
    DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(device, other.device), std::swap(bytes, other.bytes), std::swap(at, other.at);
        return *this;
    }
    ~DeviceMemory() {
        if (at) device->release(at);
    }
    std::shared_ptr<Device> device;
    std::size_t bytes = 0;
    std::byte* at = nullptr;
};

/// Values in memory of a device.
template <class T>
DeviceMemory on_device(std::shared_ptr<Device> device, const T* first, std::size_t count) {
    DeviceMemory made(std::move(device), std::max<std::size_t>(count, 1) * sizeof(T));
    made.device->copy(made.at, first, count * sizeof(T), Device::Way::to_device);
    return made;
}

/// The same in place of older values; in new memory only if there are more.
template <class T>
void renew(DeviceMemory& memory, const std::shared_ptr<Device>& device, std::span<const T> values) {
    if (values.empty()) return;
    if (memory.bytes < values.size_bytes()) {
        memory = {};
        memory = DeviceMemory(device, values.size_bytes());
    }
    device->copy(memory.at, values.data(), values.size_bytes(), Device::Way::to_device);
}

/// The processor, used as a device.
std::shared_ptr<Device> processor_as_device();
/// The device of a library that nvcc has compiled, loaded once; if there are several devices, the
/// one of this number modulo their count. Error: it cannot be loaded, or there is no device.
std::shared_ptr<Device> load_device(const std::string& library, int number);

}  // namespace fathom
