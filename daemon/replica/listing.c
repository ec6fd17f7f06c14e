#include "daemon/replica/listing.h"

#include "daemon/base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nd_list_task {
    nd_bus_task task;
    char farm[ND_FARM_NAME_BYTES];
    nd_replica_list *list;
    void (*done)(void *user, nd_replica_list *list);
    void *user;
};

static nav_status read_leader(const nd_bus_link *link, const char *farm, nd_replica_list *list)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    natsMsg *m = NULL;
    jsErrCode code = 0;
    nd_log_stream(farm, stream);
    nd_leader_subject(farm, subject);
    natsStatus ns = js_GetLastMsg(&m, link->streams, stream, subject, NULL, &code);
    nav_status s = nd_bus_status(ns, code);
    if (s == NAV_ERR_NOT_FOUND) return NAV_OK;
    if (s != NAV_OK) return s;
    list->leader_sequence = natsMsg_GetSequence(m);
    s = nd_leader_note_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &list->leader);
    list->has_leader = s == NAV_OK;
    natsMsg_Destroy(m);
    return s;
}

static nav_status read_last(const nd_bus_link *link, const char *farm, nd_replica_list *list)
{
    char stream[ND_SUBJECT_BYTES];
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    nd_log_stream(farm, stream);
    natsStatus s = js_GetStreamInfo(&info, link->streams, stream, NULL, &code);
    if (s == NATS_OK) list->last = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return nd_bus_status(s, code);
}

static nav_status take_subjects(const char *farm, const jsStreamStateSubjects *subjects, nd_replica_list *list)
{
    if (!subjects || !subjects->Count) return NAV_OK;
    nd_listed_world *grown = realloc(list->worlds, (list->world_count + (size_t)subjects->Count) * sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    list->worlds = grown;
    for (int i = 0; i < subjects->Count; i++) {
        nd_listed_world *w = &list->worlds[list->world_count];
        if (!nd_subject_read_world(farm, subjects->List[i].Subject, w->space, &w->world)) continue;
        size_t k = 0;
        while (list->worlds[k].world != w->world) k++; // it stops there at the latest
        list->world_count += k == list->world_count;
    }
    return NAV_OK;
}

static nav_status read_subjects(const nd_bus_link *link, const char *stream, const char *filter, const char *farm,
                                nd_replica_list *list)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    jsOptions o;
    jsOptions_Init(&o);
    o.Stream.Info.SubjectsFilter = filter;
    natsStatus ns = js_GetStreamInfo(&info, link->streams, stream, &o, &code);
    nav_status s = nd_bus_status(ns, code);
    if (s == NAV_OK) s = take_subjects(farm, info->State.Subjects, list);
    jsStreamInfo_Destroy(info);
    return s;
}

// Of states, and of the log.
static nav_status read_worlds(const nd_bus_link *link, const char *farm, nd_replica_list *list)
{
    char stream[ND_SUBJECT_BYTES], filter[ND_SUBJECT_BYTES];
    snprintf(filter, sizeof filter, "%s.*.states.*.head", farm);
    nd_state_stream(farm, stream);
    nav_status s = read_subjects(link, stream, filter, farm, list);
    if (s != NAV_OK) return s;
    snprintf(filter, sizeof filter, "%s.*.log.*", farm);
    nd_log_stream(farm, stream);
    return read_subjects(link, stream, filter, farm, list);
}

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    nd_list_task *t = (nd_list_task *)task;
    nd_replica_list *list = t->list;
    list->status = nd_replica_ensure_streams(link, t->farm, list->why, sizeof list->why);
    if (list->status == NAV_OK) list->status = read_leader(link, t->farm, list);
    if (list->status == NAV_OK) list->status = read_last(link, t->farm, list);
    if (list->status == NAV_OK) list->status = read_worlds(link, t->farm, list);
    if (list->status != NAV_OK && !list->why[0])
        snprintf(list->why, sizeof list->why, "%s", nav_status_text(list->status));
}

static void ended(nd_bus_task *task, bool ran)
{
    nd_list_task *t = (nd_list_task *)task;
    if (!ran) t->list->status = NAV_ERR_CANCELLED;
    if (t->done)
        t->done(t->user, t->list);
    else
        nd_replica_list_destroy(t->list);
    free(t);
}

nav_status nd_replica_list_start(nd_bus *bus, const char *farm, void (*done)(void *user, nd_replica_list *list),
                                 void *user, nd_list_task **handle)
{
    ND_ASSERT_LOOP_THREAD();
    nd_list_task *t = calloc(1, sizeof *t);
    nd_replica_list *list = calloc(1, sizeof *list);
    if (!t || !list) {
        free(t);
        free(list);
        return NAV_ERR_MEMORY;
    }
    *t = (nd_list_task){.task = {.run = run, .done = ended}, .list = list, .done = done, .user = user};
    snprintf(t->farm, sizeof t->farm, "%s", farm);
    *handle = t;
    nd_bus_push(bus, ND_BUS_RECORDS, &t->task);
    return NAV_OK;
}

void nd_replica_list_forget(nd_list_task *task)
{
    if (task) task->done = NULL;
}

void nd_replica_list_destroy(nd_replica_list *list)
{
    if (!list) return;
    free(list->worlds);
    free(list);
}
