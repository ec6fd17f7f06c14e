// navd_detour.hpp with Detour's own library: a mesh that grows and tells which references are void, and one that
// follows a world of a real navd through edits, another grid, a reset and a restart.
#include <navd_detour.hpp>

#include <navcore.h>

extern "C" {
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
}

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace
{

// ---- tiles of a floor with pillars, made here ----

const float tile_side_m = 12.8f; // of 64 cells of 0.2 m

// A tile of a square floor. pillars: so many along each axis, each a hole in the ground.
std::vector<uint8_t> floor_tile(int x, int z, int pillars = 0)
{
    static const float floor_verts[] = {-1e4f, 0, -1e4f, -1e4f, 0, 1e4f, 1e4f, 0, 1e4f, 1e4f, 0, -1e4f};
    static const uint32_t floor_tris[] = {0, 1, 2, 0, 2, 3};
    static const float box_verts[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 3, 0, 1, 3, 0, 1, 3, 1, 0, 3, 1};
    static const uint32_t box_tris[] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    nav_settings settings;
    nav_settings_default(&settings);
    settings.cell_size_m = 0.2f;
    settings.tile_cells = 64;
    settings.agent_radius_m = 0.2f;
    nav_mesh *ground, *box;
    nav_builder *builder;
    ck_assert_int_eq(nav_mesh_create(floor_verts, 4, floor_tris, 2, &ground), NAV_OK);
    ck_assert_int_eq(nav_mesh_create(box_verts, 8, box_tris, 8, &box), NAV_OK);
    ck_assert_int_eq(nav_builder_create(0, &builder), NAV_OK);
    std::vector<nav_instance> instances = {{ground, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT}};
    const float step = tile_side_m / static_cast<float>(pillars + 1);
    for (int i = 0; i < pillars * pillars; i++) {
        const float at_x = tile_side_m * static_cast<float>(x) + step * static_cast<float>(i % pillars + 1);
        const float at_z = tile_side_m * static_cast<float>(z) + step * static_cast<float>(i / pillars + 1);
        instances.push_back({box, {0.1f, 0, 0, at_x, 0, 1, 0, 0, 0, 0, 0.1f, at_z}, NAV_AREA_NONE});
    }
    nav_tile_source source = {};
    source.settings = &settings;
    source.tile_x = x;
    source.tile_z = z;
    source.instances = instances.data();
    source.instance_count = static_cast<uint32_t>(instances.size());
    nav_buffer bytes = {};
    ck_assert_int_eq(nav_builder_build(builder, &source, nullptr, nullptr), NAV_OK);
    ck_assert_int_eq(nav_builder_encode_detour(builder, &bytes), NAV_OK);
    std::vector<uint8_t> tile(bytes.data, bytes.data + bytes.size);
    nav_buffer_deinit(&bytes);
    nav_builder_destroy(builder);
    nav_mesh_destroy(box);
    nav_mesh_destroy(ground);
    return tile;
}

void put(navd::DetourMesh &mesh, int x, int z, const std::vector<uint8_t> &tile,
         const navd::DetourMesh::OnStale &on_stale = nullptr)
{
    const char *why = mesh.put(x, z, tile.data(), tile.size(), on_stale);
    ck_assert_msg(!why, "tile %d,%d: %s", x, z, why);
}

// A row of them: the same bytes, moved along x.
void put_row(navd::DetourMesh &mesh, int first, int end, const navd::DetourMesh::OnStale &on_stale = nullptr)
{
    for (int x = first; x < end; x++) put(mesh, x, 0, floor_tile(x, 0), on_stale);
}

const float origin[3] = {0, 0, 0};

// Polygons of Detour's path from the middle of the first tile of a row to that of the last; 0: it does not get there.
int path_polys(dtNavMesh *mesh, float from_x, float to_x, float z)
{
    const float reach[3] = {2, 4, 2}, from[3] = {from_x, 0, z}, to[3] = {to_x, 0, z};
    float from_at[3], to_at[3];
    dtPolyRef start = 0, end = 0, polys[512];
    int count = 0;
    dtQueryFilter filter;
    dtNavMeshQuery *query = dtAllocNavMeshQuery();
    query->init(mesh, 4096);
    query->findNearestPoly(from, reach, &filter, &start, from_at);
    query->findNearestPoly(to, reach, &filter, &end, to_at);
    query->findPath(start, end, from_at, to_at, &filter, polys, &count, 512);
    dtFreeNavMeshQuery(query);
    return count && polys[count - 1] == end ? count : 0;
}

std::vector<dtPolyRef> all_refs(const dtNavMesh *mesh)
{
    std::vector<dtPolyRef> refs;
    for (int i = 0; i < mesh->getMaxTiles(); i++) {
        const dtMeshTile *tile = mesh->getTile(i);
        for (int p = 0; tile->header && p < tile->header->polyCount; p++)
            refs.push_back(mesh->getPolyRefBase(tile) | static_cast<dtPolyRef>(p));
    }
    return refs;
}

START_TEST(a_mesh_grows_when_its_tiles_run_out_and_paths_cross_all_of_it)
{
    navd::DetourMesh mesh;
    ck_assert(mesh.open(origin, tile_side_m, 2));
    put_row(mesh, 0, 40);
    ck_assert_uint_eq(mesh.tile_count(), 40);
    ck_assert_uint_gt(mesh.generation(), 1);
    ck_assert_int_ge(path_polys(mesh.get(), 1, 39 * tile_side_m, 5), 40);
    mesh.remove(20, 0);
    ck_assert_int_eq(path_polys(mesh.get(), 1, 39 * tile_side_m, 5), 0);
    ck_assert_uint_eq(mesh.tile_count(), 39);
}
END_TEST

START_TEST(a_mesh_makes_room_for_a_tile_of_many_polygons)
{
    const std::vector<uint8_t> many = floor_tile(1, 0, 12);
    dtMeshHeader header;
    memcpy(&header, many.data(), sizeof header);
    navd::DetourMesh mesh;
    ck_assert(mesh.open(origin, tile_side_m, 1 << 16)); // leaves 6 bits for polygons
    ck_assert_int_gt(header.polyCount, 1 << 6);
    put_row(mesh, 0, 1);
    const unsigned before = mesh.generation();
    put(mesh, 1, 0, many);
    ck_assert_uint_eq(mesh.generation(), before + 1);
    put_row(mesh, 2, 3);
    ck_assert_int_ge(path_polys(mesh.get(), 1, 2.5f * tile_side_m, 0.5f), 3);
}
END_TEST

START_TEST(references_of_a_replaced_tile_are_told_and_stale_and_others_are_not)
{
    navd::DetourMesh mesh;
    ck_assert(mesh.open(origin, tile_side_m, 8));
    put_row(mesh, 0, 3);
    const std::vector<dtPolyRef> before = all_refs(mesh.get());
    std::vector<navd::DetourStale> told;
    put(mesh, 1, 0, floor_tile(1, 0, 3), [&](const navd::DetourStale &s) { told.push_back(s); });
    ck_assert_uint_eq(told.size(), 1);
    ck_assert_int_eq(told[0].x, 1);
    ck_assert_int_eq(told[0].z, 0);
    int stale = 0;
    for (dtPolyRef ref : before) {
        stale += mesh.is_stale(ref);
        ck_assert_int_eq(mesh.is_stale(ref), told[0].has(ref));
    }
    ck_assert_int_gt(stale, 0);
    ck_assert_int_lt(stale, static_cast<int>(before.size()));
    for (dtPolyRef ref : all_refs(mesh.get())) ck_assert(!mesh.is_stale(ref) && !told[0].has(ref));
}
END_TEST

START_TEST(no_reference_of_a_smaller_mesh_is_taken_for_one_of_a_larger_one)
{
    navd::DetourMesh mesh;
    ck_assert(mesh.open(origin, tile_side_m, 4));
    put_row(mesh, 0, 4);
    std::vector<dtPolyRef> before;
    for (int i = 0; i < 20; i++) { // so that the salts of the slots differ
        put(mesh, i % 3, 0, floor_tile(i % 3, 0));
        for (dtPolyRef ref : all_refs(mesh.get())) before.push_back(ref);
    }
    const std::vector<dtPolyRef> last = all_refs(mesh.get());
    size_t told = 0;
    put_row(mesh, 4, 60, [&](const navd::DetourStale &s) {
        told += std::count_if(last.begin(), last.end(), [&](dtPolyRef ref) { return s.has(ref); });
    });
    ck_assert_uint_ge(told, last.size());
    for (int x = 0; x < 60; x++) put(mesh, x, 0, floor_tile(x, 0, x % 4));
    for (dtPolyRef ref : before) ck_assert_msg(mesh.is_stale(ref), "%x is taken for a polygon of now", ref);
}
END_TEST

START_TEST(what_is_no_tile_of_that_place_is_refused_and_nothing_is_there_then)
{
    navd::DetourMesh mesh;
    std::vector<uint8_t> tile = floor_tile(0, 0);
    ck_assert_ptr_nonnull(mesh.put(0, 0, tile.data(), tile.size())); // not open
    ck_assert(mesh.open(origin, tile_side_m, 4));
    put(mesh, 0, 0, tile);
    ck_assert_str_eq(mesh.put(1, 0, tile.data(), tile.size()), "the bytes are of another tile");
    ck_assert_str_eq(mesh.put(0, 0, tile.data(), 50), "the bytes are not a tile");
    ck_assert_uint_eq(mesh.tile_count(), 0);
    tile[4]++; // the version
    ck_assert_ptr_nonnull(strstr(mesh.put(0, 0, tile.data(), tile.size()), "version"));
    ck_assert_uint_eq(mesh.tile_count(), 0);
    tile[4]--;
    put(mesh, 0, 0, tile);
    ck_assert_uint_eq(mesh.tile_count(), 1);
}
END_TEST

// ---- following a world ----

struct Watched {
    daemon_process navd = {};
    navd_client *client = nullptr;
    navd_world world = {};
    navd::DetourFollower nav;
};

template <class Done> void pump_until(navd_client *c, Done &&done)
{
    while (!done()) {
        struct pollfd p = {navd_fd(c), static_cast<short>(POLLIN | (navd_want_write(c) ? POLLOUT : 0)), 0};
        const int wait_ms = navd_wait_ms(c);
        poll(&p, 1, wait_ms < 0 || wait_ms > PATIENCE_MS ? PATIENCE_MS : wait_ms);
        ck_assert_msg(navd_process(c) == NAVD_OK, "%s", navd_error_text(c));
    }
}

void launch(Watched &w)
{
    static char state[PATH_BYTES]; // each test is a process
    const std::string name = "state_" + std::to_string(getpid());
    daemon_options options = {};
    options.state = path_into(state, name.c_str());
    daemon_launch(&w.navd, &options);
}

void begin(Watched &w)
{
    char scene[PATH_BYTES], why[256];
    write_text(path_into(scene, "yard.obj"), YARD_OBJ);
    launch(w);
    outcome r = run_navctl("push", scene, "--world", "yard", "--connect", w.navd.socket, nullptr);
    ck_assert_msg(r.code == 0, "%s", r.err);
    navd_options options = {};
    options.address = w.navd.socket;
    options.name = "test";
    options.timeout_ms = PATIENCE_MS;
    options.keep_connected = true;
    ck_assert_msg(navd_connect_with(&options, &w.client, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(w.client, PATIENCE_MS);
    w.nav.attach(w.client);
    ck_assert_int_eq(navd_world_open(w.client, "yard", false, nullptr, nullptr, 0, &w.world), NAVD_OK);
    ck_assert_int_eq(w.nav.follow(w.client, w.world, "nobody"), NAVD_ERR_NOT_FOUND);
    ck_assert_int_eq(w.nav.follow(w.client, w.world, w.world.profiles[0].name), NAVD_OK);
    pump_until(w.client, [&] { return w.nav.synced(); });
}

void finish(Watched &w)
{
    navd_world_free(&w.world);
    navd_close(w.client);
    ck_assert_int_eq(daemon_stop(&w.navd), 0);
}

using Polys = std::map<navd::DetourFollower::Place, int>; // how many polygons each tile has

Polys polys_of(const dtNavMesh *mesh)
{
    Polys polys;
    for (int i = 0; i < mesh->getMaxTiles(); i++)
        if (const dtMeshHeader *h = mesh->getTile(i)->header) polys[{h->x, h->y}] = h->polyCount;
    return polys;
}

// Whoever begins to follow the world now gets the same mesh.
void expect_mesh_of_newcomer(const Watched &w)
{
    navd_client *c;
    navd_world world;
    ck_assert_int_eq(navd_connect(w.navd.socket, "newcomer", PATIENCE_MS, &c, nullptr, 0), NAVD_OK);
    navd::DetourFollower nav;
    nav.attach(c);
    ck_assert_int_eq(navd_world_open(c, "yard", false, nullptr, nullptr, 0, &world), NAVD_OK);
    ck_assert_int_eq(nav.follow(c, world, world.profiles[0].name), NAVD_OK);
    pump_until(c, [&] { return nav.synced() && nav.revision() >= w.nav.revision(); });
    pump_until(w.client, [&] { return w.nav.synced() && w.nav.revision() >= nav.revision(); });
    ck_assert(!polys_of(nav.mesh()).empty());
    ck_assert(polys_of(nav.mesh()) == polys_of(w.nav.mesh()));
    ck_assert_uint_eq(nav.revision(), w.nav.revision());
    navd_world_free(&world);
    navd_close(c);
}

uint64_t block(const Watched &w, float x)
{
    navd_operation op = {};
    navd_edit_result result;
    op.kind = NAVD_PUT_VOLUME;
    op.id = 1;
    op.u.volume.point_count = 4;
    const float points[] = {x, 0, x, 30, x + 1, 30, x + 1, 0};
    memcpy(op.u.volume.points, points, sizeof points);
    op.u.volume.min_y = -1;
    op.u.volume.max_y = 4;
    op.u.volume.area = NAVD_AREA_NONE;
    ck_assert_msg(navd_edit(w.client, w.world.id, nullptr, &op, 1, &result) == NAVD_OK, "%s",
                  navd_error_text(w.client));
    return result.revision;
}

START_TEST(an_edit_is_followed_and_tells_the_references_that_it_makes_void)
{
    Watched w;
    begin(w);
    const std::vector<dtPolyRef> before = all_refs(w.nav.mesh());
    ck_assert_int_gt(path_polys(w.nav.mesh(), 4, 36, 15), 0);
    std::vector<navd::DetourStale> told;
    w.nav.on_stale = [&](const navd::DetourStale &s) { told.push_back(s); };
    const uint64_t changes = w.nav.changes(), revision = block(w, 18);
    pump_until(w.client, [&] { return w.nav.synced() && w.nav.revision() >= revision; });
    ck_assert_uint_gt(w.nav.changes(), changes);
    ck_assert(!told.empty());
    int stale = 0;
    for (dtPolyRef ref : before) {
        const bool is_told =
            std::any_of(told.begin(), told.end(), [&](const navd::DetourStale &s) { return s.has(ref); });
        ck_assert_int_eq(w.nav.is_stale(ref), is_told);
        stale += is_told;
    }
    ck_assert_int_gt(stale, 0);
    ck_assert_int_eq(path_polys(w.nav.mesh(), 4, 36, 15), 0);
    expect_mesh_of_newcomer(w);
    finish(w);
}
END_TEST

START_TEST(another_grid_takes_over_when_all_of_it_is_here)
{
    Watched w;
    begin(w);
    const Polys old = polys_of(w.nav.mesh());
    const std::vector<dtPolyRef> before = all_refs(w.nav.mesh());
    const unsigned generation = w.nav.generation();
    std::vector<navd::DetourStale> told;
    w.nav.on_stale = [&](const navd::DetourStale &s) { told.push_back(s); };
    navd_settings settings = w.world.profiles[0].settings;
    settings.tile_cells /= 2;
    navd_change_result result;
    const char *name = w.world.profiles[0].name;
    ck_assert_int_eq(navd_profile_set(w.client, w.world.id, name, &settings, &result), NAVD_OK);
    pump_until(w.client, [&] {
        if (!w.nav.synced()) ck_assert(polys_of(w.nav.mesh()) == old); // until then
        return w.nav.synced() && w.nav.revision() >= result.revision;
    });
    ck_assert_uint_gt(w.nav.generation(), generation);
    ck_assert_uint_gt(w.nav.tile_count(), 2 * old.size());
    ck_assert_uint_eq(told.size(), old.size());
    for (dtPolyRef ref : before) ck_assert(w.nav.is_stale(ref));
    ck_assert_float_eq_tol(w.nav.mesh()->getParams()->tileWidth,
                           static_cast<float>(settings.tile_cells) * settings.cell_size_m, 1e-5f);
    ck_assert_int_gt(path_polys(w.nav.mesh(), 4, 36, 15), 0);
    expect_mesh_of_newcomer(w);
    finish(w);
}
END_TEST

START_TEST(a_restart_of_the_daemon_is_outlived)
{
    Watched w;
    begin(w);
    const Polys polys = polys_of(w.nav.mesh());
    daemon_kill(&w.navd);
    pump_until(w.client, [&] { return !navd_is_connected(w.client); });
    ck_assert(w.nav.synced()); // the mesh is what it was
    ck_assert(polys_of(w.nav.mesh()) == polys);
    launch(w);
    const uint64_t revision = block(w, 18); // waits for the connection
    pump_until(w.client, [&] { return w.nav.synced() && w.nav.revision() >= revision; });
    expect_mesh_of_newcomer(w);
    ck_assert(w.nav.ended().empty());
    finish(w);
}
END_TEST

START_TEST(after_a_reset_tiles_that_have_not_come_again_are_gone)
{
    Watched w;
    begin(w);
    navd_event e = {};
    e.kind = NAVD_EVENT_RESET;
    e.subscription = w.nav.subscription();
    e.text = "";
    const size_t tiles = w.nav.tile_count();
    w.nav.take(e);
    ck_assert(!w.nav.synced());
    ck_assert_uint_eq(w.nav.tile_count(), tiles); // they are shown until then
    navd_tile failed = {};
    failed.subscription = w.nav.subscription();
    failed.grid = w.world.profiles[0].grid;
    failed.status = NAVD_TILE_FAILED;
    failed.reason = "too many triangles";
    w.nav.take(failed); // tile 0,0 stays as it was
    e.kind = NAVD_EVENT_SYNCED;
    e.revision = 7;
    w.nav.take(e);
    ck_assert_uint_eq(w.nav.tile_count(), 1);
    ck_assert_uint_eq(w.nav.revision(), 7);
    ck_assert_uint_eq(w.nav.failed().size(), 1);
    ck_assert_str_eq(w.nav.failed().begin()->second.c_str(), "too many triangles");
    finish(w);
}
END_TEST

START_TEST(areas_costs_reach_the_filter_and_the_end_is_told)
{
    Watched w;
    begin(w);
    navd_area_type mud;
    navd_areas table;
    navd_area_default(&mud, 7);
    mud.cost = 50;
    ck_assert_int_eq(navd_world_areas(w.client, w.world.id, &mud, 1, false, &table), NAVD_OK);
    pump_until(w.client, [&] { return w.nav.filter().getAreaCost(7) > 1; });
    dtQueryFilter own;
    w.nav.set_costs(own);
    ck_assert_float_eq(own.getAreaCost(7), 50);
    ck_assert_float_eq(own.getAreaCost(8), 1);
    ck_assert_int_eq(navd_world_delete(w.client, w.world.id), NAVD_OK);
    pump_until(w.client, [&] { return !w.nav.ended().empty(); });
    finish(w);
}
END_TEST

// A crate of 4 m in the air.
uint64_t put_crate(const Watched &w, float x)
{
    const float corners[] = {-2, -2, -2, 2, -2, -2, 2, -2, 2, -2, -2, 2, -2, 2, -2, 2, 2, -2, 2, 2, 2, -2, 2, 2};
    const uint32_t triangles[] = {4, 7, 6, 4, 6, 5, 0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1,
                                  1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    navd_mesh mesh = {};
    mesh.vertices = corners;
    mesh.vertex_count = 8;
    mesh.triangles = triangles;
    mesh.triangle_count = 12;
    ck_assert_int_eq(navd_mesh_put(w.client, &mesh, nullptr, nullptr, nullptr), NAVD_OK);
    navd_operation op = {};
    op.kind = NAVD_PUT_INSTANCE;
    op.id = 77;
    op.u.instance.mesh = navd_mesh_hash(&mesh);
    op.u.instance.area = NAVD_AREA_DEFAULT;
    const float transform[] = {1, 0, 0, x, 0, 1, 0, 30, 0, 0, 1, 15};
    memcpy(op.u.instance.transform, transform, sizeof transform);
    navd_edit_result result;
    ck_assert_msg(navd_edit(w.client, w.world.id, nullptr, &op, 1, &result) == NAVD_OK, "%s",
                  navd_error_text(w.client));
    return result.revision;
}

// Where the side of the crate that a sheet is lies, in the frame, and where no other ground is.
bool has_crate(const dtNavMesh *mesh, navd_sheet sheet, float x)
{
    const double middle[3] = {static_cast<double>(x), 30, 15};
    double own[3];
    navd_sheet_to_frame(sheet, middle, own);
    const float at[3] = {static_cast<float>(own[0]), static_cast<float>(own[1]) + 2, static_cast<float>(own[2])};
    const float near[3] = {0.5f, 0.5f, 0.5f};
    float nearest[3];
    dtNavMeshQuery query;
    dtQueryFilter filter;
    dtPolyRef found = 0;
    ck_assert(dtStatusSucceed(query.init(mesh, 512)));
    ck_assert(dtStatusSucceed(query.findNearestPoly(at, near, &filter, &found, nearest)));
    return found != 0;
}

START_TEST(each_sheet_is_followed_in_its_frame)
{
    Watched w;
    begin(w);
    navd::DetourFollower sheets[NAVD_SHEET_COUNT];
    const double corner[3] = {3, 1, -2};
    navd_settings s = w.world.profiles[0].settings;
    navd_world again;
    s.sheets = NAVD_SHEETS_ALL;
    s.agent_radius_m = 0.3f;
    s.agent_height_m = 1;
    ck_assert_int_eq(navd_world_set_origin(w.client, w.world.id, corner, nullptr), NAVD_OK);
    ck_assert_int_eq(navd_profile_set(w.client, w.world.id, "spider", &s, nullptr), NAVD_OK);
    put_crate(w, 10);
    ck_assert_int_eq(navd_world_open(w.client, "yard", false, nullptr, nullptr, 0, &again), NAVD_OK);
    navd_on_tile(
        w.client,
        [](void *user, const navd_tile *t) {
            for (int i = 0; i < NAVD_SHEET_COUNT; i++) static_cast<navd::DetourFollower *>(user)[i].take(*t);
        },
        sheets);
    navd_on_event(
        w.client,
        [](void *user, const navd_event *e) {
            for (int i = 0; i < NAVD_SHEET_COUNT; i++) static_cast<navd::DetourFollower *>(user)[i].take(*e);
        },
        sheets);
    for (int i = 0; i < NAVD_SHEET_COUNT; i++) {
        navd_subscription_options one = {};
        one.sheets = 1u << i;
        ck_assert_int_eq(sheets[i].follow(w.client, again, "spider", &one), NAVD_OK);
    }
    const auto all_at = [&](uint64_t revision) {
        return std::all_of(sheets, sheets + NAVD_SHEET_COUNT,
                           [&](const navd::DetourFollower &f) { return f.synced() && f.revision() >= revision; });
    };
    for (float x : {10.0f, 40.0f, 10.0f}) {
        const uint64_t revision = put_crate(w, x);
        pump_until(w.client, [&] { return all_at(revision); });
        for (int i = 0; i < NAVD_SHEET_COUNT; i++) {
            const dtNavMesh *mesh = sheets[i].mesh();
            ck_assert(has_crate(mesh, static_cast<navd_sheet>(i), x));
            ck_assert(!has_crate(mesh, static_cast<navd_sheet>(i), 50 - x));
            for (int k = 0; k < mesh->getMaxTiles(); k++) {
                const dtMeshHeader *h = mesh->getTile(k)->header;
                if (!h) continue;
                const float middle[3] = {(h->bmin[0] + h->bmax[0]) / 2, 0, (h->bmin[2] + h->bmax[2]) / 2};
                int x_of_it, z_of_it;
                mesh->calcTileLoc(middle, &x_of_it, &z_of_it);
                ck_assert_int_eq(x_of_it, h->x);
                ck_assert_int_eq(z_of_it, h->y);
            }
        }
    }
    navd_world_free(&again);
    finish(w);
}
END_TEST

} // namespace

int main()
{
    Suite *s = suite_create("detour_mesh");
    TCase *c = tcase_create("mesh");
    tcase_set_timeout(c, TEST_S);
    tcase_add_test(c, a_mesh_grows_when_its_tiles_run_out_and_paths_cross_all_of_it);
    tcase_add_test(c, a_mesh_makes_room_for_a_tile_of_many_polygons);
    tcase_add_test(c, references_of_a_replaced_tile_are_told_and_stale_and_others_are_not);
    tcase_add_test(c, no_reference_of_a_smaller_mesh_is_taken_for_one_of_a_larger_one);
    tcase_add_test(c, what_is_no_tile_of_that_place_is_refused_and_nothing_is_there_then);
    tcase_add_test(c, an_edit_is_followed_and_tells_the_references_that_it_makes_void);
    tcase_add_test(c, another_grid_takes_over_when_all_of_it_is_here);
    tcase_add_test(c, a_restart_of_the_daemon_is_outlived);
    tcase_add_test(c, after_a_reset_tiles_that_have_not_come_again_are_gone);
    tcase_add_test(c, areas_costs_reach_the_filter_and_the_end_is_told);
    tcase_add_test(c, each_sheet_is_followed_in_its_frame);
    suite_add_tcase(s, c);
    return run_suite_in_folder(s);
}
