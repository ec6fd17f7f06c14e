// The tests of sight.c in lanes of one type. Included once for each, with
//
//      PLACES          the member of sight_places that holds the corners' places
//      LANES           the type of a register of them
//      LANES_NUMBER    of one lane
//      LANES_COUNT
//      LANES_LOAD(p), LANES_NEGATIVE(v), LANES_POSITIVE(v), LANES_SIXTEENTH(v)
//      SIGHT(name)     what the functions here are called

// Adds the lanes' signs, those of corners k and up, to the sets.
static inline void SIGHT(add_sides)(sight_sides *s, LANES v, int32_t k)
{
    s->left |= (corner_set)LANES_NEGATIVE(v) << k;
    s->right |= (corner_set)LANES_POSITIVE(v) << k;
}

// Notes all places; returns where each corner turns.
static sight_sides SIGHT(init)(sight *s)
{
    const plan *p = s->p;
    int32_t n = p->count;
    for (int32_t k = 0; k < n; k++) {
        nav_point at = p->at[k], next = p->at[p->next[k]], before = p->at[p->prev[k]];
        s->PLACES.x[k] = at.x;
        s->PLACES.z[k] = at.z;
        s->PLACES.out_x[k] = next.x - at.x;
        s->PLACES.out_z[k] = next.z - at.z;
        s->PLACES.in_x[k] = at.x - before.x;
        s->PLACES.in_z[k] = at.z - before.z;
    }
    for (int32_t k = n; k % LANES_COUNT != 0; k++)
        s->PLACES.x[k] = s->PLACES.z[k] = s->PLACES.out_x[k] = s->PLACES.out_z[k] = s->PLACES.in_x[k] =
            s->PLACES.in_z[k] = 0;
    sight_sides turn = {0, 0};
    for (int32_t k = 0; k < n; k += LANES_COUNT) SIGHT(add_sides)
    (&turn,
     LANES_LOAD(s->PLACES.out_x + k) * LANES_LOAD(s->PLACES.in_z + k) -
         LANES_LOAD(s->PLACES.in_x + k) * LANES_LOAD(s->PLACES.out_z + k),
     k);
    return turn;
}

static sight_sides SIGHT(sides_of_edges)(const sight *s, nav_point q)
{
    const LANES_NUMBER x = q.x, z = q.z;
    sight_sides sides = {0, 0};
    for (int32_t k = 0; k < s->p->count; k += LANES_COUNT) SIGHT(add_sides)
    (&sides,
     (x - LANES_LOAD(s->PLACES.x + k)) * LANES_LOAD(s->PLACES.out_z + k) -
         LANES_LOAD(s->PLACES.out_x + k) * (z - LANES_LOAD(s->PLACES.z + k)),
     k);
    return sides;
}

// The sides of the line from a to b that edges begin on, and end on.
static void SIGHT(sides_of_line)(const sight *s, nav_point a, nav_point b, sight_sides *here, sight_sides *next)
{
    const LANES_NUMBER ax = a.x, az = a.z, ex = b.x - a.x, ez = b.z - a.z;
    sight_sides begin = {0, 0}, end = {0, 0};
    for (int32_t k = 0; k < s->p->count; k += LANES_COUNT) {
        LANES side = (LANES_LOAD(s->PLACES.x + k) - ax) * ez - ex * (LANES_LOAD(s->PLACES.z + k) - az);
        SIGHT(add_sides)(&begin, side, k);
        SIGHT(add_sides)
        (&end, side + LANES_LOAD(s->PLACES.out_x + k) * ez - ex * LANES_LOAD(s->PLACES.out_z + k), k);
    }
    *here = begin;
    *next = end;
}

// Lanes where the angle of a cross and a dot product may be within 1 : 16, on either side.
static inline corner_set SIGHT(is_thin)(LANES cross, LANES dot)
{
    LANES room = LANES_SIXTEENTH(dot);
    return ~(corner_set)(LANES_NEGATIVE(room - cross) | LANES_NEGATIVE(room + cross));
}

static void SIGHT(look_around)(const sight *s, int32_t i, sight_around *out)
{
    // In a copy, so that it stays in registers.
    sight_around a = {0};
    const LANES_NUMBER vx = s->PLACES.x[i], vz = s->PLACES.z[i];
    const LANES_NUMBER in_x = s->PLACES.in_x[i], in_z = s->PLACES.in_z[i];
    const LANES_NUMBER out_x = s->PLACES.out_x[i], out_z = s->PLACES.out_z[i];
    for (int32_t k = 0; k < s->p->count; k += LANES_COUNT) {
        LANES x = LANES_LOAD(s->PLACES.x + k) - vx, z = LANES_LOAD(s->PLACES.z + k) - vz;
        LANES in_side = x * in_z - in_x * z, in_dot = -(x * in_x + z * in_z);
        LANES out_side = x * out_z - out_x * z, out_dot = x * out_x + z * out_z;
        LANES qx = LANES_LOAD(s->PLACES.in_x + k), qz = LANES_LOAD(s->PLACES.in_z + k),
              rx = LANES_LOAD(s->PLACES.out_x + k), rz = LANES_LOAD(s->PLACES.out_z + k);
        LANES q_in_side = qx * z - x * qz, q_in_dot = x * qx + z * qz;
        LANES q_out_side = rx * z - x * rz, q_out_dot = -(x * rx + z * rz);
        SIGHT(add_sides)(&a.in, in_side, k);
        SIGHT(add_sides)(&a.out, out_side, k);
        SIGHT(add_sides)(&a.in_along, in_dot, k);
        SIGHT(add_sides)(&a.out_along, out_dot, k);
        SIGHT(add_sides)(&a.q_in, q_in_side, k);
        SIGHT(add_sides)(&a.q_out, q_out_side, k);
        SIGHT(add_sides)(&a.q_in_along, q_in_dot, k);
        SIGHT(add_sides)(&a.q_out_along, q_out_dot, k);
        a.thin |= (SIGHT(is_thin)(in_side, in_dot) | SIGHT(is_thin)(out_side, out_dot) |
                   SIGHT(is_thin)(q_in_side, q_in_dot) | SIGHT(is_thin)(q_out_side, q_out_dot))
                  << k;
    }
    *out = a;
}

#undef PLACES
#undef LANES
#undef LANES_NUMBER
#undef LANES_COUNT
#undef LANES_LOAD
#undef LANES_NEGATIVE
#undef LANES_POSITIVE
#undef LANES_SIXTEENTH
#undef SIGHT
