/* navd's generator on the threads of a C++ host: hills with a few hundred crates become tiles, many at a time, Detour
 * loads them and finds a path; then a crate moves and the tiles around it are built again.
 *   c++ -std=c++17 -pthread embed_threads.cpp detour_mesh.cpp $(pkg-config --cflags --libs navcore) \
 *       -I/usr/include/recastnavigation -lDetour -o embed_threads && ./embed_threads */
#include "detour_mesh.h"

#include <navcore.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

/* Stands for the thread pool that an engine has. */
class Pool
{
  public:
    explicit Pool(unsigned threads)
    {
        for (unsigned i = 0; i < threads; i++) threads_.emplace_back([this, i] { work(i); });
    }
    ~Pool()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ends_ = true;
        }
        wake_.notify_all();
        for (auto &t : threads_) t.join();
    }
    unsigned size() const
    {
        return static_cast<unsigned>(threads_.size());
    }

    /* Calls job(worker, i) for every i below count, and returns when all have returned. */
    void run(size_t count, std::function<void(unsigned, size_t)> job)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        job_ = std::move(job);
        next_ = 0;
        count_ = count;
        busy_ = size();
        round_++;
        wake_.notify_all();
        done_.wait(lock, [this] { return busy_ == 0; });
    }

  private:
    void work(unsigned worker)
    {
        for (unsigned seen = 0;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [&] { return ends_ || round_ != seen; });
            if (ends_) return;
            seen = round_;
            lock.unlock();
            for (size_t i; (i = next_++) < count_;) job_(worker, i);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::function<void(unsigned, size_t)> job_;
    std::atomic<size_t> next_{0};
    size_t count_ = 0;
    unsigned busy_ = 0, round_ = 0;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

void check(nav_status s, const char *what)
{
    if (s != NAV_OK) throw std::runtime_error(std::string(what) + ": " + nav_status_text(s));
}

struct Free {
    void operator()(nav_mesh *m) const
    {
        nav_mesh_destroy(m);
    }
    void operator()(nav_builder *b) const
    {
        nav_builder_destroy(b);
    }
    void operator()(detour_mesh *m) const
    {
        detour_mesh_destroy(m);
    }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

using Place = std::pair<int32_t, int32_t>;

struct Tile {
    std::vector<unsigned> instances; /* that touch it */
    std::vector<uint8_t> bytes;      /* for Detour; empty: nothing to walk on */
    std::string error;
};

class World
{
  public:
    explicit World(Pool &pool) : pool_(pool)
    {
        nav_settings_default(&settings_);
        for (unsigned i = 0; i < pool.size(); i++) {
            nav_builder *b;
            check(nav_builder_create(size_t{1} << 30, &b), "a builder");
            builders_.emplace_back(b);
        }
    }

    const nav_mesh *add_mesh(const std::vector<float> &verts, const std::vector<uint32_t> &tris)
    {
        nav_mesh *m;
        check(nav_mesh_create(verts.data(), static_cast<uint32_t>(verts.size() / 3), tris.data(),
                              static_cast<uint32_t>(tris.size() / 3), &m),
              "a mesh");
        meshes_.emplace_back(m);
        return m;
    }

    unsigned add_instance(const nav_instance &instance)
    {
        instances_.push_back(instance);
        const auto id = static_cast<unsigned>(instances_.size() - 1);
        for_each_tile(id, [&](Tile &t) { t.instances.push_back(id); });
        return id;
    }

    void move_instance(unsigned id, float x, float y, float z)
    {
        for_each_tile(id, [&](Tile &t) { t.instances.erase(std::find(t.instances.begin(), t.instances.end(), id)); });
        instances_[id].transform[3] = x;
        instances_[id].transform[7] = y;
        instances_[id].transform[11] = z;
        for_each_tile(id, [&](Tile &t) { t.instances.push_back(id); });
    }

    /* Builds the tiles that changed since the last time, on all threads, and gives them to Detour on this one: a query
     * must not run meanwhile. */
    void update()
    {
        std::vector<std::pair<Place, Tile *>> jobs(dirty_.begin(), dirty_.end());
        dirty_.clear();
        pool_.run(jobs.size(), [&](unsigned worker, size_t i) { build(worker, jobs[i].first, *jobs[i].second); });
        if (!detour_) open_detour();
        size_t bytes = 0, filled = 0;
        for (auto &job : jobs) {
            const Tile &t = *job.second;
            const char *why = "";
            if (!t.error.empty()) throw std::runtime_error(t.error);
            if (!detour_mesh_put(detour_.get(), job.first.first, job.first.second, t.bytes.data(), t.bytes.size(),
                                 &why))
                throw std::runtime_error(why);
            bytes += t.bytes.size();
            filled += !t.bytes.empty();
        }
        printf("%zu tiles built on %u threads: %zu with ground, %.1f KiB for Detour\n", jobs.size(), pool_.size(),
               filled, static_cast<double>(bytes) / 1024);
    }

    void print_path(const float (&from)[3], const float (&to)[3]) const
    {
        const float length = detour_mesh_path(detour_.get(), from, to);
        if (length < 0)
            printf("no way leads there\n");
        else
            printf("a path of %.1f m; as the crow flies it is %.1f m\n", static_cast<double>(length),
                   std::hypot(to[0] - from[0], to[2] - from[2]));
    }

  private:
    /* The tiles whose source an instance is part of; they are dirty from now on. */
    template <class F> void for_each_tile(unsigned id, F &&f)
    {
        float min[3], max[3];
        int32_t first[2], last[2];
        if (!nav_instance_bounds(&instances_[id], min, max)) return; /* no triangles */
        const double min_xz[2] = {min[0], min[2]}, max_xz[2] = {max[0], max[2]};
        nav_tile_range(&settings_, min_xz, max_xz, first, last);
        for (int32_t z = first[1]; z <= last[1]; z++) {
            for (int32_t x = first[0]; x <= last[0]; x++) {
                Tile &t = tiles_[{x, z}]; /* a map: its elements stay where they are */
                f(t);
                dirty_[{x, z}] = &t;
            }
        }
    }

    /* On a thread of the pool: reads what all share, writes its own tile. */
    void build(unsigned worker, Place place, Tile &t) const
    {
        std::vector<nav_instance> near;
        for (unsigned id : t.instances) near.push_back(instances_[id]);
        nav_tile_source source = {};
        source.settings = &settings_;
        source.tile_x = place.first;
        source.tile_z = place.second;
        source.instances = near.data();
        source.instance_count = static_cast<uint32_t>(near.size());

        nav_builder *builder = builders_[worker].get();
        nav_buffer bytes = {};
        nav_status s = nav_builder_build(builder, &source, nullptr, nullptr);
        if (s == NAV_OK) s = nav_builder_encode_detour(builder, &bytes);
        t.error = s == NAV_OK ? "" : nav_builder_error(builder);
        t.bytes.assign(bytes.data, bytes.data + bytes.size);
        nav_buffer_deinit(&bytes);
    }

    void open_detour()
    {
        const float origin[3] = {0, 0, 0};
        detour_.reset(detour_mesh_create(origin, static_cast<float>(settings_.tile_cells) * settings_.cell_size_m));
        if (!detour_) throw std::runtime_error("Detour has no memory");
    }

    Pool &pool_;
    nav_settings settings_;
    std::vector<Owned<nav_builder>> builders_; /* one for each thread */
    std::vector<Owned<nav_mesh>> meshes_;
    std::vector<nav_instance> instances_;
    std::map<Place, Tile> tiles_;
    std::map<Place, Tile *> dirty_;
    Owned<detour_mesh> detour_;
};

float height_at(float x, float z)
{
    return 3 * std::sin(x / 17) * std::cos(z / 23);
}

/* Hills, `side` by `side` squares of 2 m. */
const nav_mesh *add_hills(World &world, uint32_t side)
{
    std::vector<float> verts;
    std::vector<uint32_t> tris;
    for (uint32_t z = 0; z <= side; z++) {
        for (uint32_t x = 0; x <= side; x++) {
            const float at_x = 2 * static_cast<float>(x), at_z = 2 * static_cast<float>(z);
            verts.insert(verts.end(), {at_x, height_at(at_x, at_z), at_z});
        }
    }
    for (uint32_t z = 0; z < side; z++) {
        for (uint32_t x = 0; x < side; x++) {
            const uint32_t a = z * (side + 1) + x, b = a + side + 1;
            tris.insert(tris.end(), {a, b, a + 1, a + 1, b, b + 1});
        }
    }
    return world.add_mesh(verts, tris);
}

const nav_mesh *add_crate(World &world)
{
    return world.add_mesh({-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, -1, 2, -1, 1, 2, -1, 1, 2, 1, -1, 2, 1},
                          {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 7, 6, 4, 6, 5});
}

nav_instance instance_of(const nav_mesh *mesh, uint8_t area, float x, float y, float z)
{
    return {mesh, {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}, area};
}

} // namespace

int main()
try {
    Pool pool(std::max(2u, std::thread::hardware_concurrency()));
    World world(pool);
    world.add_instance(instance_of(add_hills(world, 100), NAV_AREA_DEFAULT, 0, 0, 0));
    const nav_mesh *crate = add_crate(world);
    unsigned last = 0;
    for (int i = 0; i < 400; i++) {
        const float x = 6 + static_cast<float>(i * 37 % 188), z = 6 + static_cast<float>(i * 71 % 188);
        last = world.add_instance(instance_of(crate, NAV_AREA_NONE, x, height_at(x, z), z));
    }
    world.update();
    const float from[3] = {3, height_at(3, 3), 3}, to[3] = {197, height_at(197, 197), 197};
    world.print_path(from, to);

    printf("a crate moves\n");
    world.move_instance(last, 100, height_at(100, 100), 100);
    world.update();
    world.print_path(from, to);
    return 0;
} catch (const std::exception &e) {
    fprintf(stderr, "embed_threads: %s\n", e.what());
    return 1;
}
