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
#include <utility>

namespace fathom {

struct Raw;   // field/field.hpp
struct Cell;  // field/process.hpp
struct PointMoves;
class Mover;  // parallel/travel/mover.hpp
struct EllipticPoints;
class EllipticOnDevice;  // solver/on_device.hpp
class ColumnsOnDevice;
struct SamplePoints;
class SamplesOnDevice;  // field/columns.hpp
struct WetColumns;
class Watch;  // field/watch.hpp
namespace ocean {
struct IceGeometry;
struct IceParameters;
class IceOnDevice;  // ocean/sea_ice/equations.hpp
struct DriftBlock;
class DriftersOnDevice;  // ocean/drifters/motion.hpp
}  // namespace ocean
template <class T> struct TransportPoints;
class TransportOnDevice;  // trajectory/on_device.hpp
template <class T> struct PlaneTransportTables;
class PlaneTransportOnDevice;  // trajectory/plane_on_device.hpp
template <class T> struct TransformTables;
class TransformOnDevice;  // transform/on_device.hpp
struct HelmholtzPoints;
class HelmholtzOnDevice;  // solver/helmholtz/on_device.hpp
namespace atmosphere {
struct OwnColumns;
class SumsOnDevice;  // atmosphere/spectral/sums.hpp
struct AirColumns;
struct RelaxedPoints;
class RelaxationOnDevice;  // atmosphere/relaxation.hpp
template <class T> struct ImplicitTables;
class ImplicitOnDevice;  // atmosphere/spectral/implicit_on_device.hpp
class AirMassOnDevice;   // atmosphere/gridpoint/air_mass.hpp
namespace gridpoint {
struct HelmholtzColumns;
class HelmholtzMatrixOnDevice;  // atmosphere/gridpoint/helmholtz_matrix.hpp
}  // namespace gridpoint
template <class T> struct CarrierTables;
class CarrierOnDevice;  // atmosphere/gridpoint/on_device.hpp
}  // namespace atmosphere

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

    /// The kernel of a scheme of the catalogue, for numbers of 4 or 8 bytes; its cells and fields
    /// are in memory of the device; null: there is none.
    using Kernel = void (*)(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    virtual Kernel kernel(const std::string& scheme, int bytes) const = 0;
    /// The scheme as its kernel here wants it, for up to so many columns: itself, or with what it
    /// has of tables and memory on the device.
    virtual std::shared_ptr<const void> settled(const std::string& name,
                                                std::shared_ptr<const void> scheme, int bytes,
                                                std::size_t columns, int layers) = 0;

    /// Halos of fields in memory of the device: for Exchange::start.
    virtual std::unique_ptr<Mover> halos(const PointMoves&) = 0;
    /// Vectors of an elliptic solver, and operations on them.
    virtual std::unique_ptr<EllipticOnDevice> elliptic(const EllipticPoints&) = 0;
    /// Numbers that describe fields in memory of the device.
    virtual std::unique_ptr<Watch> watch(const WetColumns&) = 0;
    /// Columns of fields of numbers of 4 or 8 bytes, and columns that are interpolated from some.
    virtual std::unique_ptr<ColumnsOnDevice> columns(int bytes) = 0;
    virtual std::unique_ptr<SamplesOnDevice> samples(const SamplePoints&) = 0;
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
    /// The motion of sea ice, of the blocks of a rank.
    virtual std::unique_ptr<ocean::IceOnDevice> ice(std::span<const ocean::IceGeometry>,
                                                    const ocean::IceParameters&) = 0;
    /// Drifters, in the blocks of a rank.
    virtual std::unique_ptr<ocean::DriftersOnDevice> drifters(std::span<const ocean::DriftBlock>,
                                                              double step, bool flat) = 0;
    /// Sums over the sphere of a spectral atmosphere.
    virtual std::unique_ptr<atmosphere::SumsOnDevice> spectral_sums(
        const atmosphere::OwnColumns&) = 0;
    /// Its semi-implicit solve and horizontal diffusion.
    virtual std::unique_ptr<atmosphere::ImplicitOnDevice> implicit(
        const atmosphere::ImplicitTables<float>&) = 0;
    virtual std::unique_ptr<atmosphere::ImplicitOnDevice> implicit(
        const atmosphere::ImplicitTables<double>&) = 0;
    /// Its transforms.
    virtual std::unique_ptr<TransformOnDevice> transform(const TransformTables<float>&) = 0;
    virtual std::unique_ptr<TransformOnDevice> transform(const TransformTables<double>&) = 0;
    /// Its semi-Lagrangian transport.
    virtual std::unique_ptr<TransportOnDevice> transport(const TransportPoints<float>&) = 0;
    virtual std::unique_ptr<TransportOnDevice> transport(const TransportPoints<double>&) = 0;
    virtual std::unique_ptr<PlaneTransportOnDevice> transport(
        const PlaneTransportTables<float>&) = 0;
    virtual std::unique_ptr<PlaneTransportOnDevice> transport(
        const PlaneTransportTables<double>&) = 0;
    /// The coupling zone of a limited area.
    virtual std::unique_ptr<atmosphere::RelaxationOnDevice> relaxation(
        const atmosphere::RelaxedPoints&) = 0;
    /// Semi-Lagrangian processes of a grid-point atmosphere.
    virtual std::unique_ptr<atmosphere::CarrierOnDevice> carrier(
        const atmosphere::CarrierTables<float>&) = 0;
    virtual std::unique_ptr<atmosphere::CarrierOnDevice> carrier(
        const atmosphere::CarrierTables<double>&) = 0;
    /// The mass of air of a grid-point atmosphere.
    virtual std::unique_ptr<atmosphere::AirMassOnDevice> air_mass(
        const atmosphere::AirColumns&) = 0;
    /// Its Helmholtz equation, and the coefficients.
    virtual std::unique_ptr<HelmholtzOnDevice> helmholtz(const HelmholtzPoints&) = 0;
    virtual std::unique_ptr<atmosphere::gridpoint::HelmholtzMatrixOnDevice> helmholtz_matrix(
        const atmosphere::gridpoint::HelmholtzColumns&) = 0;

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
