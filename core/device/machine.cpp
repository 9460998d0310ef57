/// The device of this compilation: memory, copies, recordings.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include "catalogue/catalogue.hpp"
#include "device/engines.hpp"
#include "device/radiation.hpp"
#include "device/values.hpp"
#include "machine/device.hpp"
#include "machine/limits.hpp"
#include "machine/ticks.hpp"

namespace fathom {

std::map<std::string, Device::AnyFunction>& engines() {
    static std::map<std::string, Device::AnyFunction> all;
    return all;
}

namespace {

#if defined(__CUDACC__)

void must(cudaError_t result, const char* what) {
    if (result != cudaSuccess) throw Error("device: ", what, ": ", cudaGetErrorString(result));
}

class Graph final : public Device::Recording {
public:
    explicit Graph(cudaGraph_t made) {
        must(cudaGraphInstantiate(&graph, made, 0), "a recording cannot be made");
        cudaGraphDestroy(made);
    }
    ~Graph() override { cudaGraphExecDestroy(graph); }
    void replay() override { must(cudaGraphLaunch(graph, launch::stream), "a recording fails"); }

private:
    cudaGraphExec_t graph = nullptr;
};

/// Memory, copies and recordings of the first device.
class Machine : public Device {
public:
    explicit Machine(int number) {
        int devices = 1;
        must(cudaGetDeviceCount(&devices), "no device");
        must(cudaSetDevice(number % devices), "no device");
        must(cudaStreamCreateWithFlags(&launch::stream, cudaStreamNonBlocking), "no stream");
        must(cudaGetDeviceProperties(&properties, number % devices), "properties");
    }
    std::string name() const override { return properties.name; }
    std::size_t free_memory() const override {
        std::size_t free = 0, all = 0;
        must(cudaMemGetInfo(&free, &all), "memory");
        return free;
    }
    std::size_t cache() const override { return std::size_t(properties.l2CacheSize); }
    std::byte* allocate(std::size_t bytes) override {
        void* at = nullptr;
        bytes = std::max<std::size_t>(bytes, 1);  // of a rank without columns, too
        if (cudaMalloc(&at, bytes) != cudaSuccess) {
            cudaGetLastError();
            throw Error("device: no memory for ", bytes, " bytes; ", free_memory(), " are free");
        }
        clear((std::byte*)at, bytes);
        return (std::byte*)at;
    }
    void release(std::byte* at) noexcept override { cudaFree(at); }
    void copy(void* to, const void* from, std::size_t bytes, Way way) override {
        const auto kind = way == Way::to_device ? cudaMemcpyHostToDevice
                          : way == Way::to_host ? cudaMemcpyDeviceToHost
                                                : cudaMemcpyDeviceToDevice;
        if (way != Way::within) travelled += bytes;
        must(cudaMemcpyAsync(to, from, bytes, kind, launch::stream), "a copy fails");
        if (way == Way::to_host) wait();
    }
    void clear(std::byte* at, std::size_t bytes) override {
        must(cudaMemsetAsync(at, 0, bytes, launch::stream), "memory cannot be cleared");
    }
    void wait() override { must(cudaStreamSynchronize(launch::stream), "a kernel fails"); }
    void mark(int n) override {
        while (int(marks.size()) <= n)
            must(cudaEventCreate(&marks.emplace_back()), "an event cannot be made");
        must(cudaEventRecord(marks[n], launch::stream), "an event cannot be recorded");
    }
    double between(int first, int second) override {
        float milliseconds = 0;
        must(cudaEventSynchronize(marks[second]), "a kernel fails");
        must(cudaEventElapsedTime(&milliseconds, marks[first], marks[second]), "no time");
        return milliseconds / 1e3;
    }
    void record() override {
        must(cudaStreamBeginCapture(launch::stream, cudaStreamCaptureModeThreadLocal),
             "a recording cannot begin");
    }
    void branch(int n) override {
        if (branches.empty()) branches.push_back(launch::stream);
        while (int(branches.size()) <= n)
            must(cudaStreamCreateWithFlags(&branches.emplace_back(), cudaStreamNonBlocking),
                 "no stream");
        launch::stream = branches[n];
    }
    void reached(int n) override {
        while (int(places.size()) <= n)
            must(cudaEventCreateWithFlags(&places.emplace_back(), cudaEventDisableTiming),
                 "an event cannot be made");
        must(cudaEventRecord(places[n], launch::stream), "an event cannot be recorded");
    }
    void after(int n) override {
        must(cudaStreamWaitEvent(launch::stream, places[n]), "a branch cannot wait");
    }
    std::unique_ptr<Recording> recorded() override {
        cudaGraph_t made = nullptr;
        must(cudaStreamEndCapture(launch::stream, &made), "a recording cannot end");
        return std::make_unique<Graph>(made);
    }

private:
    cudaDeviceProp properties;
    std::vector<cudaEvent_t> marks, places;
    std::vector<cudaStream_t> branches;
};

bool there(std::string& why) {
    int devices = 0;
    if (const auto result = cudaGetDeviceCount(&devices); result != cudaSuccess)
        why = cudaGetErrorString(result);
    else if (devices == 0)
        why = "the driver knows none";
    return why.empty();
}

#else

/// The processor, with separate memory. It records nothing: launches run immediately.
class Machine : public Device {
public:
    explicit Machine(int) {}
    std::string name() const override { return "processor"; }
    std::size_t free_memory() const override { return std::size_t(1) << 40; }
    std::size_t cache() const override { return second_level_cache(); }
    std::byte* allocate(std::size_t bytes) override {
        void* at = std::calloc(bytes + 64, 1);
        if (!at) throw Error("device: no memory for ", bytes, " bytes");
        return (std::byte*)at;
    }
    void release(std::byte* at) noexcept override { std::free(at); }
    void copy(void* to, const void* from, std::size_t bytes, Way way) override {
        if (way != Way::within) travelled += bytes;
        std::memcpy(to, from, bytes);
    }
    void clear(std::byte* at, std::size_t bytes) override { std::memset(at, 0, bytes); }
    void wait() override {}
    void mark(int n) override {
        marks.resize(std::max<std::size_t>(marks.size(), n + 1));
        marks[n] = seconds_now();
    }
    double between(int first, int second) override { return marks[second] - marks[first]; }
    bool records() const override { return false; }
    void record() override { throw Error("device: the processor records nothing"); }
    std::unique_ptr<Recording> recorded() override { return nullptr; }

private:
    std::vector<double> marks;
};

bool there(std::string&) { return true; }

#endif

/// This machine, with its engines and kernels.
class Here final : public Machine {
public:
    using Machine::Machine;
    AnyFunction engine(const std::string& name) const override {
        const auto found = engines().find(name);
        if (found == engines().end()) throw Error("device: no engine is made by ", name);
        return found->second;
    }
    AnyFunction kernel(const std::string& scheme, int bytes) const override {
        const auto found = kernels.find({scheme, bytes});
        if (found != kernels.end()) return found->second;
        Process::Run made = scheme == "RRTMGP" ? radiation_kernel(bytes) : nullptr;
        for (auto& e : catalogue())
            if (e.name == scheme) made = e.make({}, bytes, 1).run;
        return kernels[{scheme, bytes}] = (AnyFunction)made;
    }
    std::shared_ptr<const void> settled(const std::string& name, std::shared_ptr<const void> scheme,
                                        int bytes, std::size_t columns, int layers) override {
        if (name != "RRTMGP") return scheme;
        return radiation_on(shared_from_this(), scheme.get(), bytes, columns, layers);
    }
    void gather(std::span<const std::byte* const> at, int bytes, double* values) override {
        fathom::gather(*this, lists, at, bytes, values);
    }
    void scatter(std::span<std::byte* const> at, int bytes, const double* values) override {
        fathom::scatter(*this, lists, at, bytes, values);
    }
    void add(double x, const Rows& rows, int bytes) override { fathom::add(x, rows, bytes); }

private:
    Lists lists;
    mutable std::map<std::pair<std::string, int>, AnyFunction> kernels;
};

}  // namespace

}  // namespace fathom

#if defined(__CUDACC__)

/// The device; or null, and the reason why there is none.
extern "C" __attribute__((visibility("default"))) fathom::Device* fathom_device(int number,
                                                                                std::string* why) {
    try {
        return fathom::there(*why) ? new fathom::Here(number) : nullptr;
    } catch (const std::exception& error) {
        *why = error.what();
        return nullptr;
    }
}
extern "C" __attribute__((visibility("default"))) const char* fathom_layout() {
    return FATHOM_LAYOUT;
}

#else

#include <dlfcn.h>

namespace fathom {

std::shared_ptr<Device> processor_as_device() {
    static const auto one = std::make_shared<Here>(0);
    return one;
}

std::shared_ptr<Device> load_device(const std::string& library, int number) {
    static std::map<std::string, std::shared_ptr<Device>> loaded;
    auto& device = loaded[library];
    if (device) return device;
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(library, " cannot be loaded: ", dlerror());
    const auto layout = (const char* (*)())dlsym(handle, "fathom_layout");
    const auto make = (Device * (*)(int, std::string*)) dlsym(handle, "fathom_device");
    if (!layout || !make) throw Error(library, " is no device of Fathom");
    std::string why;
    device.reset(make(number, &why));
    if (!device) throw Error("no device: ", why);
    return device;
}

}  // namespace fathom

#endif
