/// Engines of this device: what a folder above asks for by its type (Device::make). Each file here
/// registers its own, so that no list of them is kept.
#pragma once
#include <map>
#include "machine/device.hpp"

namespace fathom {

/// Functions that make engines, by the names of their types.
std::map<std::string, Device::AnyFunction>& engines();

/// const Registered transport(transport_of): this function makes them.
struct Registered {
    template <class Engine, class... Arguments>
    Registered(Device::Maker<Engine, Arguments...> make) {
        engines()[typeid(make).name()] = (Device::AnyFunction)make;
    }
};

}  // namespace fathom
