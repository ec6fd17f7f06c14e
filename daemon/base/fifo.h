// A queue of things that are linked by a member `next`: put at the end, taken from the front. It holds no memory, and
// its owner may walk it from `first` by `next`. The owner's thread, or under the owner's lock.
//
//     typedef ND_FIFO(nd_task) task_list;      or a struct with the same two members among others
//
// first is NULL where it is empty. Initialise it before use: it points into itself, so it cannot be copied while empty.
#ifndef ND_FIFO_H
#define ND_FIFO_H

#define ND_FIFO(type)                                                                                                  \
    struct {                                                                                                           \
        type *first, **end;                                                                                            \
    }

// Also to forget all that is in it: read `first` before.
#define ND_FIFO_INIT(fifo) ((void)((fifo)->first = NULL, (fifo)->end = &(fifo)->first))

#define ND_FIFO_PUT(fifo, item) ((void)((item)->next = NULL, *(fifo)->end = (item), (fifo)->end = &(item)->next))

// It is not empty: takes the first one out.
#define ND_FIFO_DROP(fifo) ((fifo)->first->next ? (void)((fifo)->first = (fifo)->first->next) : ND_FIFO_INIT(fifo))

// Puts all of `more`, which is not empty and not to be used after, at the end.
#define ND_FIFO_PUT_ALL(fifo, more) ((void)(*(fifo)->end = (more)->first, (fifo)->end = (more)->end))

#endif
