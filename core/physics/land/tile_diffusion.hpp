/// The equations of the tiles with those of soil and lowest air, all at the end of the step, for
/// DiffusionOver (turbulence/diffusion.hpp):
///
///   I_i (dT_i - forcing_i) = c_i dT_soil - H_i - L_i E_i,   L_i of snow with the heat of fusion
///   H_i = K_i (s_i + c_p dT_i - ds),   E_i = beta_i K_i (q_i + q'_s dT_i - dq)
///   diagonal ds = right + dt sum a_i H_i,   the same for dq and E_i
///   I_soil (dT_soil - forcing) = sum over land f_i c_i dT_i
///
/// Each tile is a line in (ds, dq, dT_soil), which gives three equations for these (as Polcher et
/// al. 1998, Glob. Planet. Change 19, 263-276, and Best et al. 2004, J. Hydrometeor. 5, 1271-1278,
/// aggregate the fluxes of tiles). Snow and ice that would be warmer than melting are set to
/// melting: the equations are solved once more, and the surplus of heat melts them
/// (tiled_land.hpp). Dew falls on dry ground too.
#pragma once
#include "physics/land/tile_exchange.hpp"
#include "physics/land/tiles.hpp"
#include "physics/turbulence/diffusion.hpp"

namespace fathom::physics {

template <class Real> struct IceBelow {
    Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness;
    Reads<Real, "snow_on_ice", place::center_column, "kg m-2"> snow;
};

/// Sea: what is below the air beside land, prescribed or an ocean (ocean_below.hpp).
template <class Real, template <class> class Sea> struct TiledSurfaceOver {
    TileShares<Real> shares;
    TileWarmth<Real> warmth;
    TileConductances<Real> conductances;
    TileForcing<Real> forcing;
    SoilForcing<Real> soil;
    IceBelow<Real> ice;
    Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow;
    Reads<Real, "vegetation_fraction", place::center_column, "1"> vegetation;
    Sea<Real> sea_below;
    TileFluxesOut<Real> out;

    static constexpr double cp = constants::dry_air_heat_capacity, L = constants::evaporation_heat;

    /// A tile: dT = at + by_s ds + by_q dq + by_soil dT_soil.
    struct Line {
        Real at, by_s, by_q, by_soil;
        constexpr Real operator()(const auto& x) const {
            return fma(by_s, x.s, fma(by_q, x.q, fma(by_soil, x.soil, at)));
        }
    };
    struct Solution {
        Real s, q, soil;
    };
    struct Tile {
        Real share, below, K, wet_K, s, q, slope, inertia, forcing, coupling, latent, bound;
    };
    using Tiles = std::array<Tile, tile::number>;

    constexpr SurfaceAnswer<Real> operator()(const LowestRow<Real>& row) const {
        const Tiles tiles = all(row);
        const SeaRow<Real> of_sea = sea_below.row(row);
        std::array<Line, tile::number> lines;
        for (int i = 0; i < tile::number; ++i) {
            const Tile& t = tiles[i];
            const Real per = 1 / (t.inertia + t.K * cp + t.latent * t.wet_K * t.slope + 1e-6);
            lines[i] = {(t.inertia * t.forcing - t.K * t.s - t.latent * t.wet_K * t.q) * per,
                        t.K * per, t.latent * t.wet_K * per, t.coupling * per};
        }
        Solution x = solve(row, of_sea, tiles, lines);
        for (int i = tile::snow; i <= tile::ice; ++i) {
            const auto melts = lines[i](x) > tiles[i].bound;
            const auto held = [&](Real& number, Real to) { number = select(melts, to, number); };
            held(lines[i].at, tiles[i].bound);
            held(lines[i].by_s, 0);
            held(lines[i].by_q, 0);
            held(lines[i].by_soil, 0);
        }
        x = solve(row, of_sea, tiles, lines);

        const Real sea = shares.open_sea[0], sea_heat = of_sea.K * (of_sea.s - x.s),
                   sea_water = of_sea.K * (of_sea.q - x.q);
        SurfaceAnswer<Real> answer{x.s, x.q, sea * sea_heat, sea * sea_water};
        tile::Each<Real> heat, water;
        for (int i = 0; i < tile::number; ++i) {
            const Tile& t = tiles[i];
            const Real dT = lines[i](x), H = t.K * (fma(dT, cp, t.s) - x.s);
            water[i] = t.wet_K * (fma(dT, t.slope, t.q) - x.q);
            heat[i] = H + L * water[i];
            answer.heat = fma(t.share, H, answer.heat);
            answer.water = fma(t.share, water[i], answer.water);
        }
        sea_below.put(row, x.s, x.q, sea_heat + L * sea_water);
        out.plants[0] = heat[tile::plants];
        out.bare[0] = heat[tile::bare];
        out.snow[0] = heat[tile::snow];
        out.ice[0] = heat[tile::ice];
        out.plants_water[0] = water[tile::plants];
        out.bare_water[0] = water[tile::bare];
        out.snow_water[0] = water[tile::snow];
        out.ice_water[0] = water[tile::ice];
        out.soil_warming[0] = x.soil;
        return answer;
    }
    /// The current below drags the air too (DiffusionOver).
    constexpr Drift<Real> drift() const
        requires requires(const Sea<Real>& sea) { sea.drift(Real()); }
    {
        return sea_below.drift(Real(shares.open_sea[0]));
    }
    constexpr void take_stress(Real u, Real v) const { sea_below.take_stress(u, v); }

private:
    constexpr Tiles all(const LowestRow<Real>& row) const {
        const auto T = temperatures<Real>(warmth), share = each<Real>(shares);
        const LandShares<Real> of(ground::snow_cover(snow[0]), vegetation[0]);
        const auto& f = forcing;
        const auto& k = conductances;
        const tile::Each<Real> below{of.plants, of.bare, of.snow, Real(0)},
            K{Real(k.plants[0]), Real(k.bare[0]), Real(k.snow[0]), Real(k.ice[0])},
            beta{Real(k.plants_wet[0]), Real(k.bare_wet[0]), Real(k.snow_wet[0]), Real(1)},
            inertia{Real(f.plants_inertia[0]), Real(f.bare_inertia[0]), Real(f.snow_inertia[0]),
                    tile::ice_inertia<Real>(ice.thickness[0], ice.snow[0], row.step)},
            given{Real(f.plants[0]), Real(f.bare[0]), Real(f.snow[0]), Real(f.ice[0])},
            coupling{Real(f.plants_coupling[0]), Real(f.bare_coupling[0]), Real(f.snow_coupling[0]),
                     Real(0)};
        Tiles tiles;
        for (int i = 0; i < tile::number; ++i) {
            const Saturation<Real> at(T[i], row.surface_pressure);
            const Real q = at.humidity - row.q;
            tiles[i] = {share[i],
                        below[i],
                        K[i],
                        select(q < 0, Real(1), beta[i]) * K[i],
                        row.above_s(T[i]),
                        q,
                        at.slope,
                        inertia[i],
                        given[i],
                        coupling[i],
                        Real(i == tile::snow ? L + constants::fusion_heat : L),
                        larger(tile::melting - T[i], 0)};
        }
        return tiles;
    }
    /// Three equations, by elimination: the diagonal is larger than the rest of each row.
    constexpr Solution solve(const LowestRow<Real>& row, const SeaRow<Real>& of_sea,
                             const Tiles& tiles,
                             const std::array<Line, tile::number>& lines) const {
        const Real sea = row.step * shares.open_sea[0] * of_sea.K;
        Real ss = row.diagonal + sea, sq = 0, sx = 0, s = fma(sea, of_sea.s, row.right_s);
        Real qs = 0, qq = row.diagonal + sea, qx = 0, q = fma(sea, of_sea.q, row.right_q);
        Real xs = 0, xq = 0, xx = soil.inertia[0], x = xx * soil.forcing[0];
        for (int i = 0; i < tile::number; ++i) {
            const Tile& t = tiles[i];
            const Line& line = lines[i];
            const Real heat = row.step * t.share * t.K, by_T = heat * cp,
                       water = row.step * t.share * t.wet_K, by_slope = water * t.slope,
                       below = t.below * t.coupling;
            ss += heat - by_T * line.by_s;
            sq -= by_T * line.by_q;
            sx -= by_T * line.by_soil;
            s += fma(by_T, line.at, heat * t.s);
            qs -= by_slope * line.by_s;
            qq += water - by_slope * line.by_q;
            qx -= by_slope * line.by_soil;
            q += fma(by_slope, line.at, water * t.q);
            xs -= below * line.by_s;
            xq -= below * line.by_q;
            xx -= below * line.by_soil;
            x = fma(below, line.at, x);
        }
        const Real of_x = 1 / xx, sxx = sx * of_x, qxx = qx * of_x;
        ss -= sxx * xs;
        sq -= sxx * xq;
        s -= sxx * x;
        qs -= qxx * xs;
        qq -= qxx * xq;
        q -= qxx * x;
        const Real of_q = sq / qq, ds = (s - of_q * q) / (ss - of_q * qs), dq = (q - qs * ds) / qq;
        return {ds, dq, (x - xs * ds - xq * dq) * of_x};
    }
};

template <class Real> using TiledSurface = TiledSurfaceOver<Real, PrescribedSea>;

using TileDiffusion = DiffusionOver<TiledSurface>;

template <class Real> using TilesAndOcean = TiledSurfaceOver<Real, OceanBelow>;

using TileDiffusionOverOcean = DiffusionOver<TilesAndOcean>;

}  // namespace fathom::physics
