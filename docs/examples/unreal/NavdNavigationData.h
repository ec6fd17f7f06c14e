/* navd behind Unreal's navigation system: an FNavDataGenerator whose work is done by a navd daemon, and the data that
 * it fills. docs/editors/unreal.md says what of this was run, and where. Game thread only.
 *
 * Places are Unreal's on this side: centimetres, Z up, left-handed. The daemon is told the unit and the axis; what it
 * cannot be told is that the second axis points the other way, so Y is negated on each way (NavdY). */
#ifndef NAVD_NAVIGATION_DATA_H
#define NAVD_NAVIGATION_DATA_H

#include <navd.h>

inline double NavdY(double Y)
{
    return -Y;
}

struct FNavdPolygon {
    TArray<int32> Corners; /* of FNavdTile::Points; counter-clockwise seen from above */
    TArray<int32> Behind;  /* of the edge from each corner to the next: a polygon, or NAVD_EDGE_* */
    uint8 Area = 0;
};

struct FNavdTile {
    TArray<FVector> Points;
    TArray<FNavdPolygon> Polygons; /* of at most DT_VERTS_PER_POLYGON corners */
};

class ANavdNavigationData : public ANavigationData
{
  public:
    TMap<FIntPoint, FNavdTile> Tiles;
    uint64 Revision = 0; /* of the world that all tiles show, or newer */

    /* What of the level is in this box, as navd's operations: puts, moves and removes of what changed. Unreal's
     * octree (FNavigationOctree) knows the elements of a box. */
    virtual void GatherOperations(const FBox &Bounds, TArray<navd_operation> &Out) = 0;
    /* Its tiles have changed: draw them again, or hand them to whatever finds paths. */
    virtual void OnTileChanged(const FIntPoint &Place) = 0;
};

class FNavdGenerator : public FNavDataGenerator
{
  public:
    explicit FNavdGenerator(ANavdNavigationData &InData) : Data(InData)
    {
    }
    ~FNavdGenerator() override
    {
        navd_close(Client);
    }
    FNavdGenerator(const FNavdGenerator &) = delete;
    FNavdGenerator &operator=(const FNavdGenerator &) = delete;

    /* Connects and subscribes. False: Error() says why. */
    bool Open(const char *Address, const char *WorldName, const FBox &InBounds)
    {
        navd_options Options = {};
        Options.address = Address;
        Options.name = "Unreal";
        Options.timeout_ms = 5000;
        Options.keep_connected = true;
        Bounds = InBounds;
        if (navd_connect_with(&Options, &Client, Why, sizeof Why) != NAVD_OK) return false;
        const navd_axes Axes = {NAVD_UP_Z, 0.01};
        navd_set_axes(Client, &Axes);
        navd_profile Profile = {};
        snprintf(Profile.name, sizeof Profile.name, "default");
        navd_settings_default(&Profile.settings); /* of the agent, in metres: FNavDataConfig has centimetres */
        navd_world Opened;
        if (navd_world_open(Client, WorldName, true, nullptr, &Profile, 1, &Opened) != NAVD_OK) return Fail();
        World = Opened.id;
        navd_from_metres(Opened.to_metres, true, FromMetres);
        navd_world_free(&Opened);
        navd_on_tile(
            Client, [](void *Me, const navd_tile *T) { static_cast<FNavdGenerator *>(Me)->Take(*T); }, this);
        navd_on_event(
            Client, [](void *Me, const navd_event *E) { static_cast<FNavdGenerator *>(Me)->Take(*E); }, this);
        navd_on_progress(
            Client,
            [](void *Me, uint64_t, const char *, uint64_t Done, uint64_t Total) {
                static_cast<FNavdGenerator *>(Me)->TilesLeft = static_cast<int32>(Total - Done);
            },
            this);
        navd_subscription_options Wanted = {};
        Wanted.profile = Profile.name;
        Wanted.encoding = NAVD_ENCODING_NAVD;
        return navd_subscribe(Client, World, &Wanted, nullptr) == NAVD_OK || Fail();
    }
    const char *Error() const
    {
        return Why;
    }
    navd_client *GetClient() const
    {
        return Client;
    }

    /* ---- FNavDataGenerator ---- */

    bool RebuildAll() override
    {
        TArray<navd_operation> Operations;
        Data.GatherOperations(Bounds, Operations);
        Operations.Add(MarkDirty(Bounds));
        return Send(Operations);
    }

    void RebuildDirtyAreas(const TArray<FNavigationDirtyArea> &DirtyAreas) override
    {
        TArray<navd_operation> Operations;
        for (const FNavigationDirtyArea &Area : DirtyAreas) Data.GatherOperations(Area.Bounds, Operations);
        if (Operations.Num() > 0) Send(Operations); /* navd finds the tiles that they touch */
    }

    void CancelBuild() override
    {
        navd_cancel(Client, World, nullptr);
    }

    /* Each frame; navd_process() never waits. */
    void TickAsyncBuild(float) override
    {
        if (navd_process(Client) != NAVD_OK) Fail();
    }

    /* Edits that are not answered, and tiles that are not made. */
    int32 GetNumRemaningBuildTasks() const override
    {
        return EditsLeft + TilesLeft;
    }
    int32 GetNumRunningBuildTasks() const override
    {
        return TilesLeft;
    }
    /* Until all tiles of the last edit are here. */
    bool IsBuildInProgressCheckDirty() const override
    {
        return EditsLeft > 0 || Data.Revision < Edited;
    }

  private:
    bool Fail()
    {
        snprintf(Why, sizeof Why, "%s", navd_error_text(Client));
        return false;
    }

    static navd_operation MarkDirty(const FBox &Box)
    {
        navd_operation Operation = {};
        Operation.kind = NAVD_MARK_DIRTY;
        Operation.u.dirty.min[0] = Box.Min.X;
        Operation.u.dirty.min[1] = NavdY(Box.Max.Y);
        Operation.u.dirty.max[0] = Box.Max.X;
        Operation.u.dirty.max[1] = NavdY(Box.Min.Y);
        return Operation;
    }

    bool Send(const TArray<navd_operation> &Operations)
    {
        const auto Done = [](void *Me, navd_status Status, const char *Text, const navd_edit_result *Result) {
            auto *Self = static_cast<FNavdGenerator *>(Me);
            Self->EditsLeft--;
            if (Status == NAVD_OK)
                Self->Edited = Result->revision;
            else
                snprintf(Self->Why, sizeof Self->Why, "%s", Text);
        };
        if (navd_edit_start(Client, World, nullptr, Operations.GetData(), static_cast<size_t>(Operations.Num()), Done,
                            this) != NAVD_OK)
            return Fail();
        EditsLeft++;
        return true;
    }

    void Take(const navd_tile &From)
    {
        const FIntPoint Place(From.x, From.z);
        navd_polygons Read;
        Grid = From.grid;
        if (From.status == NAVD_TILE_FAILED) return; /* the tile of before stays */
        if (From.status != NAVD_TILE_OK) {
            Data.Tiles.Remove(Place);
        } else if (navd_polygons_read(&From, 6, FromMetres, &Read, Why, sizeof Why) == NAVD_OK) {
            FNavdTile &To = Data.Tiles.FindOrAdd(Place);
            To = FNavdTile();
            for (size_t I = 0; I < Read.point_count; I++)
                To.Points.Add(FVector(Read.points[I][0], Read.points[I][1], Read.points[I][2]));
            for (size_t I = 0; I < Read.polygon_count; I++) {
                FNavdPolygon Polygon;
                Polygon.Area = Read.polygons[I].area;
                for (uint32_t K = 0; K < Read.polygons[I].corner_count; K++) {
                    const uint32_t Corner = Read.polygons[I].first_corner + K;
                    Polygon.Corners.Add(static_cast<int32>(Read.corners[Corner]));
                    Polygon.Behind.Add(static_cast<int32>(Read.behind[Corner]));
                }
                To.Polygons.Add(Polygon);
            }
            navd_polygons_free(&Read);
        }
        Data.OnTileChanged(Place);
    }

    void Take(const navd_event &Event)
    {
        if (Event.kind == NAVD_EVENT_SYNCED) {
            Data.Revision = Event.revision;
            TilesLeft = 0;
        } else if (Event.kind == NAVD_EVENT_RESET ||
                   (Event.kind == NAVD_EVENT_SETTINGS && Event.grid != Grid)) /* all come again */
            Data.Tiles.Empty();
        else if (Event.kind == NAVD_EVENT_ENDED)
            snprintf(Why, sizeof Why, "%s", Event.text);
    }

    ANavdNavigationData &Data;
    FBox Bounds;
    navd_client *Client = nullptr;
    uint64_t World = 0, Edited = 0, Grid = 0;
    int32 EditsLeft = 0, TilesLeft = 0;
    double FromMetres[12] = {};
    char Why[300] = "";
};

#endif
