#include "daemon/member.h"

#include "daemon/store/world_store.h"

#include <stdio.h>

static void on_farm_for_worker(void *member, bool up)
{
    nd_member *m = member;
    nd_farm_worker_note_bus(m->worker, up);
}

static nav_status start_worker(nd_member *m, const nd_member_parts *p)
{
    const nd_farm_worker_options o = {.loop = p->loop,
                                      .config = p->config,
                                      .bus = m->farm->bus,
                                      .id = m->farm->id,
                                      .builder = p->builder,
                                      .meshes = p->service->methods->meshes,
                                      .spaces = &p->service->methods->sessions->access.spaces,
                                      .on_idle = p->stop,
                                      .user = p->user};
    const nav_status status = nd_farm_worker_create(&o, &m->worker);
    if (status != NAV_OK) return status;
    p->service->worker = m->worker;
    m->worker_watch = (nd_farm_watch){.on_state = on_farm_for_worker, .user = m};
    nd_farm_add_watch(m->farm, &m->worker_watch);
    return NAV_OK;
}

static void on_farm_for_replica(void *member, bool up)
{
    nd_member *m = member;
    if (m->replica) nd_replica_note_server(m->replica, up);
}

static nav_status start_replica(nd_member *m, const nd_member_parts *p)
{
    const nd_replica_options o = {
        .loop = p->loop, .config = p->config, .id = m->farm->id, .bus = m->farm->bus, .methods = p->service->methods};
    if (p->config->farm_worlds == ND_FARM_LOCAL) return NAV_OK;
    const nav_status status = nd_replica_create(&o, &m->replica);
    if (status != NAV_OK) return status;
    p->service->replica = m->replica;
    m->replica_watch = (nd_farm_watch){.on_state = on_farm_for_replica, .user = m};
    nd_farm_add_watch(m->farm, &m->replica_watch);
    return NAV_OK;
}

static nav_status start_parts(nd_member *m, const nd_member_parts *p)
{
    const nd_methods *methods = p->service->methods;
    const nd_farm_parts parts = {.builder = p->builder,
                                 .workers = p->builder->workers,
                                 .meshes = methods->meshes,
                                 .writer = methods->store ? methods->store->writer : NULL,
                                 .mesh_table = ND_MESHES};
    if (p->config->worker) return start_worker(m, p);
    const nav_status status = nd_farm_coordinate(m->farm, &parts);
    return status == NAV_OK ? start_replica(m, p) : status;
}

nav_status nd_member_join(nd_member *m, const nd_member_parts *p, char *why, size_t why_bytes)
{
    nav_status status = nd_farm_create(p->loop, p->config, why, why_bytes, &m->farm);
    p->service->farm = p->service->methods->farm = m->farm;
    if (status != NAV_OK || !m->farm) return status;
    status = start_parts(m, p);
    if (status != NAV_OK) snprintf(why, why_bytes, "no memory for the farm");
    return status;
}

bool nd_member_drain(nd_member *m)
{
    if (m->worker) nd_farm_worker_drain(m->worker);
    return m->worker != NULL;
}

void nd_member_close(nd_member *m)
{
    nd_farm_worker_close(m->worker);
    nd_replica_close(m->replica);
    m->replica = NULL;
    nd_farm_close(m->farm);
}

void nd_member_destroy(nd_member *m)
{
    nd_farm_destroy(m->farm);
    m->farm = NULL;
}
