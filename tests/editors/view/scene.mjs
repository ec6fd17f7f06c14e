// Scenes for the tests and the bench, as OBJ text: made here, the same each time.

// A sequence that looks random and is the same everywhere.
export function sequence(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

class Obj {
  lines = [];
  vertices = 0;

  begin(name) {
    this.lines.push(`o ${name}`);
  }

  vertex(x, y, z) {
    this.lines.push(`v ${x.toFixed(3)} ${y.toFixed(3)} ${z.toFixed(3)}`);
    return ++this.vertices;
  }

  quad(a, b, c, d) {
    this.lines.push(`f ${a} ${b} ${c}`, `f ${a} ${c} ${d}`);
  }

  // A box without a floor, in the order that its faces look outwards.
  box(name, x, y, z, w, h, d) {
    this.begin(name);
    const at = (i, j, k) => this.vertex(x + i * w, y + j * h, z + k * d);
    const [a, b, c, e] = [at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)];
    const [A, B, C, E] = [at(0, 1, 0), at(1, 1, 0), at(1, 1, 1), at(0, 1, 1)];
    this.quad(A, E, C, B);
    this.quad(a, A, B, b);
    this.quad(b, B, C, c);
    this.quad(c, C, E, e);
    this.quad(e, E, A, a);
  }

  text() {
    return `${this.lines.join('\n')}\n`;
  }
}

// Hills of `side` metres with boxes on them.
export function terrain(side, boxes) {
  const obj = new Obj();
  const height = (x, z) => 9 * Math.sin(x / 83) * Math.cos(z / 67) + 3 * Math.sin(x / 29 + z / 41);
  const steps = Math.max(2, Math.round(side / 6));
  obj.begin('ground');
  const first = obj.vertices + 1;
  for (let j = 0; j <= steps; j++) {
    for (let i = 0; i <= steps; i++) {
      const [x, z] = [(i * side) / steps, (j * side) / steps];
      obj.vertex(x, height(x, z), z);
    }
  }
  for (let j = 0; j < steps; j++) {
    for (let i = 0; i < steps; i++) {
      const a = first + j * (steps + 1) + i;
      obj.quad(a, a + steps + 1, a + steps + 2, a + 1);
    }
  }
  const random = sequence(7);
  for (let n = 0; n < boxes; n++) {
    const [x, z] = [random() * (side - 14) + 4, random() * (side - 14) + 4];
    const [w, h, d] = [1 + random() * 6, 1 + random() * 7, 1 + random() * 6];
    obj.box(`box${n}`, x, height(x + w / 2, z + d / 2) - 1.5, z, w, h + 1.5, d);
  }
  return obj.text();
}

// Two plates that nothing connects, with a box on the first one: `side` metres each, 4 metres between them.
export function plates(side) {
  const obj = new Obj();
  for (const [name, x] of [['left', 0], ['right', side + 4]]) {
    obj.begin(name);
    obj.quad(obj.vertex(x, 0, 0), obj.vertex(x, 0, side), obj.vertex(x + side, 0, side), obj.vertex(x + side, 0, 0));
  }
  obj.box('crate', side / 2, 0, side / 2, 2, 2, 2);
  return obj.text();
}
