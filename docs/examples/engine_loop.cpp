/* An engine's loop with an agent that runs to and fro between two places. The mesh it walks on follows a world of a
 * navd daemon: when an edit changes its way, it plans again, from where it is.
 *   c++ -std=c++17 engine_loop.cpp $(pkg-config --cflags --libs navdclient) -I/usr/include/recastnavigation -lDetour \
 *       -o engine_loop
 *   ./engine_loop WORLD X,Y,Z X,Y,Z [WAYS]       with WAYS it ends after having gone so many */
#include <navd_detour.hpp>

#include <DetourCommon.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace
{

const float speed = 8; /* m/s */

class Agent
{
  public:
    Agent(const float from[3], const float to[3])
    {
        dtVcopy(at_, from);
        dtVcopy(home_, from);
        dtVcopy(goal_, to);
    }
    ~Agent()
    {
        dtFreeNavMeshQuery(query_);
    }
    int ways() const
    {
        return ways_;
    }

    void frame(const navd::DetourFollower &nav, float seconds)
    {
        if (nav.synced() && planned_ != nav.changes()) {
            plan(nav);
            planned_ = nav.changes();
        }
        walk(nav, speed * seconds);
    }

  private:
    void plan(const navd::DetourFollower &nav)
    {
        const dtQueryFilter &filter = nav.filter();
        const float reach[3] = {2, 4, 2}; /* how far from ground a place may be */
        float start_at[3], end_at[3];
        dtPolyRef start = 0, end = 0;
        polys_count_ = corners_ = next_ = 0;
        if (generation_ != nav.generation()) query_->init(nav.mesh(), 4096); /* nodes of a search */
        generation_ = nav.generation();
        query_->findNearestPoly(at_, reach, &filter, &start, start_at);
        query_->findNearestPoly(goal_, reach, &filter, &end, end_at);
        if (start && end) query_->findPath(start, end, start_at, end_at, &filter, polys_, &polys_count_, most);
        if (polys_count_ == 0 || polys_[polys_count_ - 1] != end) {
            polys_count_ = 0;
            printf("no way leads there\n");
            return;
        }
        query_->findStraightPath(start_at, end_at, polys_, polys_count_, corner_, nullptr, nullptr, &corners_, most);
        float length = 0;
        for (int i = 1; i < corners_; i++) length += dtVdist(&corner_[3 * i - 3], &corner_[3 * i]);
        printf("the way is %.1f m long, %.1f m as the crow flies\n", length, dtVdist(start_at, end_at));
    }

    void walk(const navd::DetourFollower &nav, float metres)
    {
        for (int i = 0; i < polys_count_; i++)
            if (nav.is_stale(polys_[i])) return; /* the ground it has planned on has changed: it waits for a plan */
        while (next_ < corners_ && metres > 0) {
            const float *corner = &corner_[3 * next_];
            const float left = dtVdist(at_, corner);
            dtVlerp(at_, at_, corner, left > metres ? metres / left : 1);
            next_ += left <= metres;
            metres -= left;
        }
        if (corners_ == 0 || next_ < corners_) return;
        printf("way %d: arrived at %.1f, %.1f, %.1f\n", ++ways_, at_[0], at_[1], at_[2]);
        std::swap(home_, goal_);
        corners_ = polys_count_ = 0;
        planned_ = 0; /* changes() is never 0 after follow() */
    }

    static constexpr int most = 1024;
    dtNavMeshQuery *query_ = dtAllocNavMeshQuery();
    unsigned generation_ = 0;
    uint64_t planned_ = 0; /* changes() of the mesh at the time */
    float at_[3], home_[3], goal_[3];
    dtPolyRef polys_[most];
    float corner_[3 * most];
    int polys_count_ = 0, corners_ = 0, next_ = 0, ways_ = 0;
};

int fail(const char *why)
{
    fprintf(stderr, "engine_loop: %s\n", why);
    return 1;
}

} // namespace

int main(int argc, char **argv)
{
    float from[3], to[3];
    if (argc < 4 || argc > 5 || sscanf(argv[2], "%f,%f,%f", &from[0], &from[1], &from[2]) != 3 ||
        sscanf(argv[3], "%f,%f,%f", &to[0], &to[1], &to[2]) != 3)
        return fail("usage: engine_loop WORLD X,Y,Z X,Y,Z [WAYS]");
    const int ways = argc == 5 ? atoi(argv[4]) : 0;

    setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    navd_client *client;
    navd_world world;
    navd_options options = {};
    options.name = "engine_loop";
    options.timeout_ms = 5000;
    options.keep_connected = true; /* the mesh stays while the daemon restarts, and goes on from there */
    char why[256];
    if (navd_connect_with(&options, &client, why, sizeof why) != NAVD_OK) return fail(why);
    navd::DetourFollower nav;
    nav.attach(client);
    navd_status s = navd_world_open(client, argv[1], false, nullptr, nullptr, 0, &world);
    if (s == NAVD_OK) {
        s = nav.follow(client, world, world.profiles[0].name);
        navd_world_free(&world);
    }

    Agent agent(from, to);
    const std::chrono::milliseconds frame(16);
    for (auto next = std::chrono::steady_clock::now(); s == NAVD_OK && nav.ended().empty(); next += frame) {
        s = navd_process(client); /* never waits */
        agent.frame(nav, 0.016f);
        if (ways && agent.ways() >= ways) break;
        std::this_thread::sleep_until(next); /* an engine draws */
    }
    if (s != NAVD_OK) fail(navd_error_text(client));
    if (!nav.ended().empty()) fail(nav.ended().c_str());
    navd_close(client);
    return s == NAVD_OK && nav.ended().empty() ? 0 : 1;
}
