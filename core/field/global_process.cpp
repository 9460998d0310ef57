#include "field/global_process.hpp"

namespace fathom {

void GlobalProcess::tangent(Given, Given) const { throw Error(name, " has no tangent"); }
void GlobalProcess::adjoint(Given, Given) const { throw Error(name, " has no adjoint"); }

Process process(std::shared_ptr<GlobalProcess> global) {
    Process p;
    p.name = global->name;
    p.fields = global->fields();
    p.global = std::move(global);
    return p;
}

}  // namespace fathom
