/* A dtNavMesh that follows a world of a navd daemon. Header-only, C++17; needs neither exceptions nor RTTI. Put
 * Detour's own headers (of Recast Navigation 1.5.1 or newer) into the include path, and link navdclient and Detour.
 *
 *     navd::DetourFollower nav;
 *     nav.attach(client);                     // its tiles and events come from navd_process() from now on
 *     nav.follow(client, world, "default");   // subscribes
 *     ... each frame: navd_process(client);
 *         if (nav.synced()) plan paths in *nav.mesh() with nav.filter();
 *
 * DetourMesh is the half that knows tiles and Detour, DetourFollower the half that knows subscriptions.
 *
 * References. A tile that is replaced gets other polygon references; on_stale names it, is_stale() asks about one
 * reference. Where the mesh has to grow, or its grid changes, mesh() is another dtNavMesh: `generation` rises, and each
 * dtNavMeshQuery needs init() again. A reference of before is not mistaken for one of now, until its tile has been
 * replaced about 1,000 times (65,000 with DT_POLYREF64): that is what Detour's references have room for.
 *
 * Threads. The mesh changes in take() only, that is within calls of the client library: navd_process() and blocking
 * requests. Where queries run on other threads, put one std::shared_mutex around it: hold it exclusively while the
 * library is called, and shared while a query runs. navd_process() never waits, so it is held for as long as the tiles
 * take that have come. Everything here is otherwise for one thread at a time.
 *
 * Memory. Detour's own comes from dtAlloc(), and running out of it is an error like others; the small lists here are of
 * the standard library. */
#ifndef NAVD_DETOUR_HPP
#define NAVD_DETOUR_HPP

#include <navd.h>

#include <DetourAlloc.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace navd
{

/* A tile whose polygon references became void, because it was replaced or went. */
struct DetourStale {
    int x, z;
    dtTileRef tile;
    unsigned poly_bits; /* of a reference */
    bool has(dtPolyRef ref) const
    {
        return ref >> poly_bits == tile >> poly_bits;
    }
};

/* A dtNavMesh that owns its tiles and has room for as many as come. */
class DetourMesh
{
  public:
    using OnStale = std::function<void(const DetourStale &)>;

    /* Empties it, for the tiles of this grid. tiles: how many are expected; more may come. False: no memory, and it is
     * as it was. */
    bool open(const float origin_m[3], float tile_side_m, int tiles = 4096, const OnStale &on_stale = nullptr)
    {
        const dtNavMeshParams before = params_;
        std::memcpy(params_.orig, origin_m, sizeof params_.orig);
        params_.tileWidth = params_.tileHeight = tile_side_m;
        const unsigned tile_bits = bits_for(static_cast<unsigned>(std::max(tiles, 1)));
        Layout fresh;
        const bool done = begin(fresh, std::min(tile_bits, most_tile_bits), now_.next_salt());
        if (done)
            become(fresh, on_stale);
        else
            params_ = before;
        return done;
    }

    /* Takes over what is in next, which succeeds it; next is of no use afterwards. */
    void replace(DetourMesh &next, const OnStale &on_stale = nullptr)
    {
        params_ = next.params_;
        become(next.now_, on_stale);
    }
    /* One that is to take this one's place: no reference of this one will be taken for one of its own. */
    DetourMesh successor() const
    {
        DetourMesh next;
        next.now_.first_salt = now_.next_salt();
        return next;
    }

    /* nullptr before open(). Tiles are added and removed here only. */
    dtNavMesh *get() const
    {
        return now_.mesh.get();
    }
    /* Rises whenever get() is another one. */
    unsigned generation() const
    {
        return generation_;
    }
    size_t tile_count() const
    {
        return now_.salts.size() - now_.unused.size();
    }

    /* The tile at x, z has these bytes from now on; they are copied. nullptr: it has. Else the reason, and there is no
     * tile at the place. */
    const char *put(int x, int z, const void *bytes, size_t size, const OnStale &on_stale = nullptr)
    {
        remove(x, z, on_stale); /* Detour refuses a second tile at a place */
        dtMeshHeader header;
        if (size < sizeof header) return "the bytes are not a tile";
        std::memcpy(&header, bytes, sizeof header);
        if (header.magic != DT_NAVMESH_MAGIC || header.version != DT_NAVMESH_VERSION)
            return "the bytes are not a tile of the version that this Detour loads";
        if (header.x != x || header.y != z || header.layer != 0) return "the bytes are of another tile";
        /* Detour does not check this itself: polygons beyond its bits would be taken for those of another tile. */
        const char *why = make_room(static_cast<unsigned>(header.polyCount), on_stale);
        return why ? why : add(now_, header, static_cast<const unsigned char *>(bytes), size);
    }

    void remove(int x, int z, const OnStale &on_stale = nullptr)
    {
        const dtTileRef ref = get() ? get()->getTileRefAt(x, z, 0) : 0;
        if (!ref) return;
        const unsigned slot = get()->decodePolyIdTile(ref);
        get()->removeTile(ref, nullptr, nullptr); /* frees the bytes */
        now_.salts[slot] = salt_after(now_.salts[slot], 1);
        now_.rounds = std::max(now_.rounds, ++now_.replaced[slot]);
        now_.unused.push_back(slot);
        if (on_stale) on_stale({x, z, ref, now_.poly_bits});
    }

    /* True: it names no polygon any more, or never did. */
    bool is_stale(dtPolyRef ref) const
    {
        return !get() || !get()->isValidPolyRef(ref);
    }

    template <class Visit> void for_each_place(Visit &&visit) const
    {
        const dtNavMesh *mesh = get();
        for (int i = 0; mesh && i < mesh->getMaxTiles(); i++)
            if (const dtMeshHeader *header = mesh->getTile(i)->header) visit(header->x, header->y);
    }

  private:
    static constexpr bool is_wide = sizeof(dtPolyRef) == 8; /* DT_POLYREF64: bits to spare, in fixed places */
    static constexpr unsigned salt_bits = is_wide ? 16 : 10, split_bits = is_wide ? 48 : 22;
    static constexpr unsigned most_tile_bits = is_wide ? 28 : 21;
    static constexpr size_t link_bytes = 12; /* in navd's tiles: sizeof(dtLink) with 32-bit references */

    struct FreeMesh {
        void operator()(dtNavMesh *mesh) const
        {
            dtFreeNavMesh(mesh);
        }
    };

    /* A dtNavMesh and its slots. Detour takes the slot that was freed last, and numbers references anew in each mesh;
     * here the references of all meshes differ, so slots and salts are chosen for it. `unused` mirrors its own list,
     * so that it finds the slot at once. */
    struct Layout {
        std::unique_ptr<dtNavMesh, FreeMesh> mesh;
        unsigned tile_bits = 0, poly_bits = 0;
        unsigned first_salt = 1, rounds = 0; /* rounds: how often the slot was freed that was freed most often */
        std::vector<unsigned> salts, replaced, unused;

        unsigned next_salt() const
        {
            return mesh ? salt_after(first_salt, rounds + 1) : first_salt;
        }
    };

    static unsigned salt_after(unsigned salt, unsigned count) /* never 0 */
    {
        const unsigned salts = (1u << salt_bits) - 1;
        return (salt - 1 + count) % salts + 1;
    }

    static unsigned bits_for(unsigned count)
    {
        unsigned bits = 0;
        while (bits < 31 && 1u << bits < count) bits++;
        return bits;
    }

    bool begin(Layout &out, unsigned tile_bits, unsigned first_salt) const
    {
        out.tile_bits = tile_bits;
        out.poly_bits = is_wide ? 20 : split_bits - tile_bits;
        out.first_salt = first_salt;
        const size_t slots = size_t{1} << tile_bits;
        dtNavMeshParams params = params_;
        params.maxTiles = static_cast<int>(slots);
        params.maxPolys = 1 << out.poly_bits;
        out.mesh.reset(dtAllocNavMesh());
        if (!out.mesh || dtStatusFailed(out.mesh->init(&params))) return false;
        out.salts.assign(slots, first_salt);
        out.replaced.assign(slots, 0);
        out.unused.resize(slots);
        for (size_t i = 0; i < slots; i++) out.unused[i] = static_cast<unsigned>(slots - 1 - i); /* 0 is the last */
        return true;
    }

    /* nullptr, or why not. */
    static const char *add(Layout &to, const dtMeshHeader &header, const unsigned char *bytes, size_t size)
    {
        /* The links are empty; with 64-bit references they are longer. */
        const size_t links_at = sizeof header + sizeof(float) * 3 * static_cast<size_t>(header.vertCount) +
                                sizeof(dtPoly) * static_cast<size_t>(header.polyCount);
        const size_t links = static_cast<size_t>(header.maxLinkCount);
        const bool is_as_sent = sizeof(dtLink) == link_bytes || links_at + link_bytes * links > size;
        const size_t more = is_as_sent ? 0 : (sizeof(dtLink) - link_bytes) * links;
        auto *copy = static_cast<unsigned char *>(dtAlloc(size + more, DT_ALLOC_PERM));
        if (!copy) return "no memory";
        if (more) {
            const size_t rest_at = links_at + link_bytes * links;
            std::memcpy(copy, bytes, links_at);
            std::memset(copy + links_at, 0, sizeof(dtLink) * links);
            std::memcpy(copy + rest_at + more, bytes + rest_at, size - rest_at);
        } else
            std::memcpy(copy, bytes, size);
        return add_own(to, copy, size + more);
    }

    /* The same with bytes of dtAlloc() that Detour keeps, writes into and frees. */
    static const char *add_own(Layout &to, unsigned char *bytes, size_t size)
    {
        const unsigned slot = to.unused.back();
        const dtTileRef wanted = to.mesh->encodePolyId(to.salts[slot], slot, 0);
        if (dtStatusFailed(to.mesh->addTile(bytes, static_cast<int>(size), DT_TILE_FREE_DATA, wanted, nullptr))) {
            dtFree(bytes); /* still ours */
            return "Detour refused the tile";
        }
        to.unused.pop_back();
        return nullptr;
    }

    /* For one tile more, of so many polygons. nullptr, or why there is none. */
    const char *make_room(unsigned polys, const OnStale &on_stale)
    {
        if (!get()) return "the mesh is not open";
        const bool tiles_fit = !now_.unused.empty(), polys_fit = polys <= 1u << now_.poly_bits;
        if (tiles_fit && polys_fit) return nullptr;
        const dtNavMesh *mesh = get();
        unsigned most_polys = polys;
        for (int i = 0; i < mesh->getMaxTiles(); i++)
            if (const dtMeshHeader *header = mesh->getTile(i)->header)
                most_polys = std::max(most_polys, static_cast<unsigned>(header->polyCount));
        const unsigned poly_bits = is_wide ? 20 : bits_for(most_polys);
        const unsigned tile_bits = bits_for(static_cast<unsigned>(tile_count()) + 1);
        if (tile_bits > most_tile_bits || bits_for(most_polys) > poly_bits || tile_bits + poly_bits > split_bits)
            return "Detour's references have no bits for so many tiles and polygons in a tile: use tiles of another "
                   "size (tile_cells), or a Detour with DT_POLYREF64";
        return grow(tiles_fit ? split_bits - poly_bits : tile_bits, on_stale);
    }

    /* Moves all tiles to a mesh with more slots, or with more bits for polygons. */
    const char *grow(unsigned tile_bits, const OnStale &on_stale)
    {
        Layout next;
        if (!begin(next, tile_bits, is_wide ? now_.first_salt : now_.next_salt())) return "no memory";
        if (is_wide) { /* slots and salts stay, and with them the references */
            std::copy(now_.salts.begin(), now_.salts.end(), next.salts.begin());
            std::copy(now_.replaced.begin(), now_.replaced.end(), next.replaced.begin());
            next.rounds = now_.rounds;
        }
        const dtNavMesh *old = get();
        for (int i = 0; i < old->getMaxTiles(); i++) {
            const dtMeshTile *tile = old->getTile(i);
            if (!tile->header) continue;
            auto *copy = static_cast<unsigned char *>(dtAlloc(static_cast<size_t>(tile->dataSize), DT_ALLOC_PERM));
            if (!copy) return "no memory";
            std::memcpy(copy, tile->data, static_cast<size_t>(tile->dataSize));
            if (const char *why = add_own(next, copy, static_cast<size_t>(tile->dataSize))) return why;
        }
        become(next, is_wide ? nullptr : on_stale);
        return nullptr;
    }

    void become(Layout &next, const OnStale &on_stale)
    {
        const Layout before = std::move(now_);
        now_ = std::move(next);
        generation_++;
        const dtNavMesh *old = before.mesh.get();
        for (int i = 0; old && on_stale && i < old->getMaxTiles(); i++) {
            const dtMeshTile *tile = old->getTile(i);
            if (tile->header) on_stale({tile->header->x, tile->header->y, old->getTileRef(tile), before.poly_bits});
        }
    }

    dtNavMeshParams params_ = {};
    Layout now_;
    unsigned generation_ = 0;
};

/* Keeps a DetourMesh as one sheet of one profile of a world is, by a subscription. The mesh of a sheet other than up is
 * in that sheet's frame: navd_sheet_to_frame() turns places and directions. */
class DetourFollower
{
  public:
    using Place = std::pair<int, int>; /* x, z of a tile */

    /* Called from within calls of the client library, after the mesh has changed. It must not call that library. */
    DetourMesh::OnStale on_stale;

    DetourFollower() = default;
    DetourFollower(const DetourFollower &) = delete;
    DetourFollower &operator=(const DetourFollower &) = delete;

    /* Takes over both callbacks of the client. With several followers on one client set your own, and hand everything
     * to each: a follower leaves alone what is not its own. */
    void attach(navd_client *c)
    {
        navd_on_tile(
            c, [](void *user, const navd_tile *t) { static_cast<DetourFollower *>(user)->take(*t); }, this);
        navd_on_event(
            c, [](void *user, const navd_event *e) { static_cast<DetourFollower *>(user)->take(*e); }, this);
    }

    /* Subscribes to a profile of the world, from an empty mesh. options may be NULL; its profile and encoding do not
     * count, and of its sheets the first (none: the profile's first). Errors as navd_subscribe() has them;
     * NAVD_ERR_NOT_FOUND: the world has no such profile. */
    navd_status follow(navd_client *c, const navd_world &world, const char *profile,
                       const navd_subscription_options *options = nullptr, int expected_tiles = 4096)
    {
        const navd_profile *found = nullptr;
        for (size_t i = 0; i < world.profile_count; i++)
            if (std::strcmp(world.profiles[i].name, profile) == 0) found = &world.profiles[i];
        if (!found) return NAVD_ERR_NOT_FOUND;
        expected_tiles_ = expected_tiles;
        grid_ = found->grid;
        next_grid_ = 0;
        failed_.clear();
        unheard_.clear();
        ended_.clear();
        subscription_ = revision_ = 0;
        is_synced_ = false;
        changes_++;
        navd_subscription_options wanted = options ? *options : navd_subscription_options{};
        const uint32_t sheets = wanted.sheets ? wanted.sheets : found->settings.sheets;
        int first = 0;
        while (first + 1 < NAVD_SHEET_COUNT && !(sheets >> first & 1)) first++;
        sheet_ = static_cast<navd_sheet>(first);
        wanted.sheets = UINT32_C(1) << first;
        if (!open(mesh_, found->settings, world.origin_m)) return NAVD_ERR_MEMORY;
        wanted.profile = profile;
        wanted.encoding = NAVD_ENCODING_DETOUR;
        return navd_subscribe(c, world.id, &wanted, &subscription_);
    }

    /* nullptr before follow(). Another one when generation() has risen. */
    dtNavMesh *mesh() const
    {
        return mesh_.get();
    }
    unsigned generation() const
    {
        return mesh_.generation();
    }
    size_t tile_count() const
    {
        return mesh_.tile_count();
    }
    uint64_t subscription() const
    {
        return subscription_;
    }

    /* The whole mesh shows revision() or newer: paths may be planned. In between, tiles are of different revisions and
     * their borders may not join; whoever is on its way may go on where is_stale() is false. A connection that breaks
     * does not change it: the mesh stays as it is. */
    bool synced() const
    {
        return is_synced_;
    }
    uint64_t revision() const
    {
        return revision_;
    }
    /* Rises with each change of a tile or a cost: plan again when it has, and synced(). */
    uint64_t changes() const
    {
        return changes_;
    }
    bool is_stale(dtPolyRef ref) const
    {
        return mesh_.is_stale(ref);
    }

    /* Takes all polygons but those without flags, which are closed, and has the costs of the world's areas. Below 1
     * Detour may miss the cheapest path: it estimates what is left at 1 a metre. */
    const dtQueryFilter &filter() const
    {
        return filter_;
    }
    /* Gives the costs to a filter of your own. */
    void set_costs(dtQueryFilter &to) const
    {
        for (int area = 0; area < NAVD_AREA_COUNT; area++) to.setAreaCost(area, filter_.getAreaCost(area));
    }

    /* Tiles that are not in the mesh as the world has them, with the reason: what could not be generated (the tile of
     * before stays), and what this mesh could not take. */
    const std::map<Place, std::string> &failed() const
    {
        return failed_;
    }
    /* Why the mesh is not kept up to date any more: its world or profile is gone, for example. "" while it is. */
    const std::string &ended() const
    {
        return ended_;
    }

    /* What comes to the callbacks of navd_on_tile() and navd_on_event(). */
    void take(const navd_tile &t)
    {
        if (t.subscription != subscription_) return;
        const Place at(t.x, t.z);
        const bool is_next = next_grid_ != 0;
        if (t.grid != (is_next ? next_grid_ : grid_)) {
            if (ended_.empty()) ended_ = "the profile has changed since its world was opened: open and follow it again";
            return;
        }
        is_synced_ = false;
        changes_++;
        unheard_.erase(at);
        failed_.erase(at);
        if (t.status == NAVD_TILE_FAILED) {
            failed_[at] = t.reason;
            return;
        }
        const DetourMesh::OnStale nobody; /* has references into the next mesh */
        const DetourMesh::OnStale &tell = is_next ? nobody : on_stale;
        if (t.status != NAVD_TILE_OK)
            newest().remove(t.x, t.z, tell);
        else if (const char *why = newest().put(t.x, t.z, t.data, t.size, tell))
            failed_[at] = why;
    }

    void take(const navd_event &e)
    {
        if (e.subscription != subscription_ || subscription_ == 0) return;
        switch (e.kind) {
        case NAVD_EVENT_SYNCED:
            finish();
            revision_ = e.revision;
            is_synced_ = true;
            break;
        case NAVD_EVENT_RESET:
            is_synced_ = false;
            expect_all();
            break;
        case NAVD_EVENT_SETTINGS:
            if (e.grid != (next_grid_ ? next_grid_ : grid_)) begin_grid(e);
            break;
        case NAVD_EVENT_AREAS:
            for (int area = 0; area < NAVD_AREA_COUNT; area++) filter_.setAreaCost(area, 1);
            for (size_t i = 0; i < e.area_count; i++) filter_.setAreaCost(e.areas[i].id, e.areas[i].cost);
            changes_++;
            break;
        case NAVD_EVENT_ENDED:
            ended_ = e.text;
            subscription_ = 0;
            break;
        case NAVD_EVENT_LOST:
        case NAVD_EVENT_RESTORED:
            break;
        }
    }

  private:
    bool open(DetourMesh &mesh, const navd_settings &settings, const double origin_m[3])
    {
        double own[3];
        navd_sheet_to_frame(sheet_, origin_m, own);
        const float origin[3] = {static_cast<float>(own[0]), static_cast<float>(own[1]), static_cast<float>(own[2])};
        const float side_m = static_cast<float>(settings.tile_cells) * settings.cell_size_m;
        return mesh.open(origin, side_m, expected_tiles_, on_stale);
    }

    DetourMesh &newest()
    {
        return next_grid_ ? next_ : mesh_;
    }

    /* Tiles lie elsewhere from now on. Those here are shown until all of the new ones have come. */
    void begin_grid(const navd_event &e)
    {
        is_synced_ = false;
        unheard_.clear();
        failed_.clear();
        next_ = mesh_.successor();
        next_grid_ = open(next_, *e.settings, e.origin_m) ? e.grid : 0;
        if (!next_grid_) ended_ = "no memory for a mesh of the new grid";
    }

    /* What has not come again by the next "synced" is gone. */
    void expect_all()
    {
        newest().for_each_place([this](int x, int z) { unheard_.insert({x, z}); });
        for (const auto &f : failed_) unheard_.insert(f.first);
    }

    /* All is here that the world has. */
    void finish()
    {
        for (const Place &at : unheard_) {
            newest().remove(at.first, at.second, next_grid_ ? DetourMesh::OnStale() : on_stale);
            failed_.erase(at);
            changes_++;
        }
        unheard_.clear();
        if (!next_grid_) return;
        mesh_.replace(next_, on_stale);
        grid_ = next_grid_;
        next_grid_ = 0;
        changes_++;
    }

    DetourMesh mesh_, next_;            /* next_: of the grid that tiles come in now, until all of them are here */
    uint64_t grid_ = 0, next_grid_ = 0; /* next_grid_ 0: there is no other */
    navd_sheet sheet_ = NAVD_SHEET_UP;
    int expected_tiles_ = 0;
    uint64_t subscription_ = 0, revision_ = 0, changes_ = 0;
    bool is_synced_ = false;
    dtQueryFilter filter_;
    std::map<Place, std::string> failed_;
    std::set<Place> unheard_; /* since the last reset */
    std::string ended_;
};

} // namespace navd

#endif
