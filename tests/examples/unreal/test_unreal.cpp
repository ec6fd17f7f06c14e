// docs/examples/unreal with stand-ins for Unreal's types, against a real navd: a level of a floor and a crate, in
// centimetres with Z up and left-handed, is built, changed and cancelled as the navigation system does it.
#include "tests/examples/unreal/stand_ins.h"

#include "docs/examples/unreal/NavdNavigationData.h"

extern "C" {
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
}

#include <poll.h>

#include <cmath>
#include <cstring>

namespace
{

const FBox level(FVector(0, 0, -100), FVector(4000, 3000, 500));

// What an editor's level is here: a floor from 0, 0 to 40 m, 30 m, and a crate that may stand on it.
class Level : public ANavdNavigationData
{
  public:
    navd_client *client = nullptr;
    bool has_crate = false;
    int gathered = 0, changed_tiles = 0;

    void GatherOperations(const FBox &, TArray<navd_operation> &Out) override
    {
        // Y is negated, and with it the order of the corners, in what is sent once.
        static const float verts[] = {0, 0, 0, 4000, 0, 0, 4000, -3000, 0, 0, -3000, 0};
        static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
        const navd_mesh floor = {verts, 4, triangles, 2, nullptr, nullptr};
        navd_operation put = {};
        if (gathered++ == 0) {
            ck_assert_int_eq(navd_mesh_put(client, &floor, nullptr, nullptr, nullptr), NAVD_OK);
            put.kind = NAVD_PUT_INSTANCE;
            put.id = 1;
            put.u.instance.mesh = navd_mesh_hash(&floor);
            put.u.instance.area = NAVD_AREA_DEFAULT;
            const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            memcpy(put.u.instance.transform, identity, sizeof identity);
            Out.Add(put);
        }
        if (!has_crate) return;
        put = {};
        put.kind = NAVD_PUT_VOLUME; // from 10, 20 to 12, 22 m of the level
        put.id = 1;
        put.u.volume.point_count = 4;
        const float points[] = {1000, static_cast<float>(NavdY(2000)), 1200, static_cast<float>(NavdY(2000)),
                                1200, static_cast<float>(NavdY(2200)), 1000, static_cast<float>(NavdY(2200))};
        memcpy(put.u.volume.points, points, sizeof points);
        put.u.volume.min_y = -50;
        put.u.volume.max_y = 200;
        put.u.volume.area = NAVD_AREA_NONE;
        Out.Add(put);
    }
    void OnTileChanged(const FIntPoint &) override
    {
        changed_tiles++;
    }

    // Is this place on a polygon?
    bool has_ground(double x, double y) const
    {
        for (const auto &tile : Tiles)
            for (const FNavdPolygon &p : tile.second.Polygons) {
                bool inside = true;
                for (int32 k = 0; k < p.Corners.Num(); k++) {
                    const FVector &a = tile.second.Points[p.Corners[k]];
                    const FVector &b = tile.second.Points[p.Corners[(k + 1) % p.Corners.Num()]];
                    // Left-handed: with X ahead and Y to the right, counter-clockwise seen from above turns to -Y.
                    inside = inside && (b.X - a.X) * (y - a.Y) - (b.Y - a.Y) * (x - a.X) <= 0;
                }
                if (inside) return true;
            }
        return false;
    }
};

void tick_until_done(FNavdGenerator &generator)
{
    while (generator.IsBuildInProgressCheckDirty() || generator.GetNumRemaningBuildTasks() > 0) {
        navd_client *c = generator.GetClient();
        struct pollfd p = {navd_fd(c), static_cast<short>(POLLIN | (navd_want_write(c) ? POLLOUT : 0)), 0};
        poll(&p, 1, PATIENCE_MS);
        generator.TickAsyncBuild(0.016f);
        ck_assert_msg(!generator.Error()[0], "%s", generator.Error());
    }
}

void open_level(daemon_process &navd, FNavdGenerator &generator, Level &data)
{
    daemon_launch(&navd, nullptr);
    ck_assert_msg(generator.Open(navd.socket, "level", level), "%s", generator.Error());
    navd_set_timeout(generator.GetClient(), PATIENCE_MS);
    data.client = generator.GetClient();
    ck_assert(generator.RebuildAll());
    ck_assert_int_gt(generator.GetNumRemaningBuildTasks(), 0);
    tick_until_done(generator);
}

START_TEST(a_level_in_centimetres_gets_its_polygons_in_centimetres)
{
    daemon_process navd;
    {
        Level data;
        FNavdGenerator generator(data);
        open_level(navd, generator, data);
        ck_assert_int_gt(data.Tiles.Num(), 3);
        for (const auto &tile : data.Tiles) {
            for (const FNavdPolygon &p : tile.second.Polygons) {
                ck_assert(p.Corners.Num() >= 3 && p.Corners.Num() <= 6);
                ck_assert_int_eq(p.Area, NAVD_AREA_DEFAULT);
                for (int32 corner : p.Corners) {
                    const FVector &at = tile.second.Points[corner];
                    ck_assert(at.X > 0 && at.X < 4000 && at.Y > 0 && at.Y < 3000 && std::fabs(at.Z) < 50);
                }
            }
        }
        ck_assert(data.has_ground(200, 200) && data.has_ground(3800, 200) && data.has_ground(200, 2800));
        ck_assert(!data.has_ground(200, -200));
    }
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_dirty_area_is_one_revision_and_changes_its_tiles_alone)
{
    daemon_process navd;
    {
        Level data;
        FNavdGenerator generator(data);
        open_level(navd, generator, data);
        const uint64 before = data.Revision;
        const int all = data.Tiles.Num();
        ck_assert(data.has_ground(1100, 2100));
        data.has_crate = true;
        data.changed_tiles = 0;
        TArray<FNavigationDirtyArea> areas;
        areas.Add({FBox(FVector(1000, 2000, 0), FVector(1200, 2200, 200))});
        generator.RebuildDirtyAreas(areas);
        ck_assert_int_eq(generator.GetNumRemaningBuildTasks(), 1); // the edit; the tiles follow
        ck_assert(generator.IsBuildInProgressCheckDirty());
        tick_until_done(generator);
        ck_assert_uint_eq(data.Revision, before + 1);
        ck_assert(!data.has_ground(1100, 2100));
        ck_assert(data.has_ground(1100, 900) && data.has_ground(200, 200));
        ck_assert_int_gt(data.changed_tiles, 0);
        ck_assert_int_lt(data.changed_tiles, all);
    }
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_build_that_is_cancelled_has_nothing_left_to_do)
{
    daemon_process navd;
    {
        Level data;
        FNavdGenerator generator(data);
        open_level(navd, generator, data);
        ck_assert(generator.RebuildAll());
        generator.CancelBuild();
        tick_until_done(generator);
        ck_assert(data.has_ground(200, 200)); // what was built before is there
    }
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(without_a_daemon_it_says_so)
{
    Level data;
    FNavdGenerator generator(data);
    ck_assert(!generator.Open("/nowhere/navd.sock", "level", level));
    ck_assert_ptr_nonnull(strstr(generator.Error(), "/nowhere/navd.sock"));
}
END_TEST

} // namespace

int main()
{
    Suite *s = suite_create("unreal");
    TCase *c = tcase_create("stand_ins");
    tcase_set_timeout(c, TEST_S);
    tcase_add_test(c, a_level_in_centimetres_gets_its_polygons_in_centimetres);
    tcase_add_test(c, a_dirty_area_is_one_revision_and_changes_its_tiles_alone);
    tcase_add_test(c, a_build_that_is_cancelled_has_nothing_left_to_do);
    tcase_add_test(c, without_a_daemon_it_says_so);
    suite_add_tcase(s, c);
    return run_suite_in_folder(s);
}
