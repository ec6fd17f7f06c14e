// What docs/examples/unreal uses of Unreal, as far as it is used there: names and meanings are Unreal's, the rest is as
// small as it can be. It shows that the code compiles and does what it should, not that Unreal takes it.
#ifndef TESTS_UNREAL_STAND_INS_H
#define TESTS_UNREAL_STAND_INS_H

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

using int32 = std::int32_t;
using uint8 = std::uint8_t;
using uint64 = std::uint64_t;

struct FVector {
    double X = 0, Y = 0, Z = 0;
    FVector() = default;
    FVector(double InX, double InY, double InZ) : X(InX), Y(InY), Z(InZ)
    {
    }
};

struct FBox {
    FVector Min, Max;
    FBox() = default;
    FBox(const FVector &InMin, const FVector &InMax) : Min(InMin), Max(InMax)
    {
    }
};

struct FIntPoint {
    int32 X, Y;
    FIntPoint(int32 InX, int32 InY) : X(InX), Y(InY)
    {
    }
    bool operator<(const FIntPoint &B) const
    {
        return X != B.X ? X < B.X : Y < B.Y;
    }
};

template <class T> class TArray
{
  public:
    int32 Add(const T &Item)
    {
        Items.push_back(Item);
        return Num() - 1;
    }
    int32 Num() const
    {
        return static_cast<int32>(Items.size());
    }
    const T *GetData() const
    {
        return Items.data();
    }
    const T &operator[](int32 I) const
    {
        return Items[static_cast<std::size_t>(I)];
    }
    auto begin() const
    {
        return Items.begin();
    }
    auto end() const
    {
        return Items.end();
    }

  private:
    std::vector<T> Items;
};

template <class K, class V> class TMap
{
  public:
    V &FindOrAdd(const K &Key)
    {
        return Items[Key];
    }
    int32 Remove(const K &Key)
    {
        return static_cast<int32>(Items.erase(Key));
    }
    void Empty()
    {
        Items.clear();
    }
    int32 Num() const
    {
        return static_cast<int32>(Items.size());
    }
    auto begin() const
    {
        return Items.begin();
    }
    auto end() const
    {
        return Items.end();
    }

  private:
    std::map<K, V> Items;
};

struct FNavigationDirtyArea {
    FBox Bounds;
};

class ANavigationData
{
  public:
    virtual ~ANavigationData() = default;
};

class FNavDataGenerator
{
  public:
    virtual ~FNavDataGenerator() = default;
    virtual bool RebuildAll() = 0;
    virtual void RebuildDirtyAreas(const TArray<FNavigationDirtyArea> &DirtyAreas) = 0;
    virtual void CancelBuild() = 0;
    virtual void TickAsyncBuild(float DeltaSeconds) = 0;
    virtual int32 GetNumRemaningBuildTasks() const = 0;
    virtual int32 GetNumRunningBuildTasks() const = 0;
    virtual bool IsBuildInProgressCheckDirty() const = 0;
};

#endif
