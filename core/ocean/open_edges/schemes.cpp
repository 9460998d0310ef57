#include "ocean/schemes.hpp"
#include "ocean/open_edges/nests.hpp"
#include "ocean/open_edges/nudging.hpp"
#include "ocean/open_edges/open_edges.hpp"

namespace fathom::ocean {

Entries open_edges(Part) {
    return {entry<EdgeWithoutAdvection>("EdgeWithoutAdvection"),
            entry<EdgeKeepsTendency>("EdgeKeepsTendency"),
            entry<EdgeWithoutFriction>("EdgeWithoutFriction"),
            entry<EdgeWithoutTide>("EdgeWithoutTide"),
            entry<EdgeTide>("EdgeTide"),
            entry<EdgeConvergence>("EdgeConvergence"),
            entry<EdgeTransport>("EdgeTransport"),
            entry<EdgeContent>("EdgeContent"),
            entry<LayersInTime<false>>("LayersInTime"),
            entry<LayersInTime<true>>("LayersInTimeAtCorners"),
            entry<CloseNestFaces>("CloseNestFaces"),
            entry<OpenNestFaces>("OpenNestFaces"),
            entry<ContentFromNest>("ContentFromNest"),
            entry<NestAdvection>("NestAdvection"),
            entry<NestConvergence>("NestConvergence"),
            entry<NestTransport>("NestTransport"),
            entry<NestContent>("NestContent"),
            entry<TracerNudging>("TracerNudging"),
            entry<VelocityNudging>("VelocityNudging")};
}

}  // namespace fathom::ocean
