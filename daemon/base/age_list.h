// A list by age: of entries with members `newer` and `older`, held by a struct with members `newest` and `oldest`. Both
// are pointers to entries; a zeroed holder is an empty list. Each argument is evaluated more than once.
#ifndef ND_AGE_LIST_H
#define ND_AGE_LIST_H

#define ND_AGE_UNLINK(list, entry)                                                                                     \
    do {                                                                                                               \
        *((entry)->newer ? &(entry)->newer->older : &(list)->newest) = (entry)->older;                                 \
        *((entry)->older ? &(entry)->older->newer : &(list)->oldest) = (entry)->newer;                                 \
    } while (0)

#define ND_AGE_LINK_NEWEST(list, entry)                                                                                \
    do {                                                                                                               \
        (entry)->newer = NULL;                                                                                         \
        (entry)->older = (list)->newest;                                                                               \
        *((list)->newest ? &(list)->newest->newer : &(list)->oldest) = (entry);                                        \
        (list)->newest = (entry);                                                                                      \
    } while (0)

#endif
