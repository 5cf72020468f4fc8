/** Eigenvalues, smallest first, and eigenvectors of a symmetric matrix: Householder to three diagonals, then QL. */
export interface Eigen {
  values: Float64Array;
  /** `vectors[i * size + k]` is item i of vector k. */
  vectors: Float64Array;
}

export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const vectors = Float64Array.from(matrix);
  const values = new Float64Array(size);
  const side = new Float64Array(size);
  tridiagonal(vectors, values, side, size);
  accumulated(vectors, values, size);
  side.copyWithin(0, 1);
  side[size - 1] = 0;
  diagonal(vectors, values, side, size);
  return sorted(vectors, values, size);
}

/** Reduces to three diagonals; what is needed to build the vectors stays in the lower triangle. */
function tridiagonal(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  for (let j = 0; j < n; j += 1) d[j] = v[(n - 1) * n + j] as number;
  for (let i = n - 1; i > 0; i -= 1) {
    let scale = 0;
    let h = 0;
    for (let k = 0; k < i; k += 1) scale += Math.abs(d[k] as number);
    if (scale === 0) {
      e[i] = d[i - 1] as number;
      for (let j = 0; j < i; j += 1) {
        d[j] = v[(i - 1) * n + j] as number;
        v[i * n + j] = 0;
        v[j * n + i] = 0;
      }
    } else {
      for (let k = 0; k < i; k += 1) {
        d[k] = (d[k] as number) / scale;
        h += (d[k] as number) ** 2;
      }
      const f = d[i - 1] as number;
      const g = f > 0 ? -Math.sqrt(h) : Math.sqrt(h);
      e[i] = scale * g;
      h -= f * g;
      d[i - 1] = f - g;
      householder(v, d, e, n, i, h);
    }
    d[i] = h;
  }
}

function householder(
  v: Float64Array,
  d: Float64Array,
  e: Float64Array,
  n: number,
  i: number,
  h: number,
): void {
  e.fill(0, 0, i);
  for (let j = 0; j < i; j += 1) {
    const f = d[j] as number;
    v[j * n + i] = f;
    let g = (e[j] as number) + (v[j * n + j] as number) * f;
    for (let k = j + 1; k < i; k += 1) {
      g += (v[k * n + j] as number) * (d[k] as number);
      e[k] = (e[k] as number) + (v[k * n + j] as number) * f;
    }
    e[j] = g;
  }
  let f = 0;
  for (let j = 0; j < i; j += 1) {
    e[j] = (e[j] as number) / h;
    f += (e[j] as number) * (d[j] as number);
  }
  const half = f / (h + h);
  for (let j = 0; j < i; j += 1) e[j] = (e[j] as number) - half * (d[j] as number);
  for (let j = 0; j < i; j += 1) {
    const fj = d[j] as number;
    const gj = e[j] as number;
    for (let k = j; k < i; k += 1) {
      v[k * n + j] = (v[k * n + j] as number) - (fj * (e[k] as number) + gj * (d[k] as number));
    }
    d[j] = v[(i - 1) * n + j] as number;
    v[i * n + j] = 0;
  }
}

function accumulated(v: Float64Array, d: Float64Array, n: number): void {
  for (let i = 0; i < n - 1; i += 1) {
    v[(n - 1) * n + i] = v[i * n + i] as number;
    v[i * n + i] = 1;
    const h = d[i + 1] as number;
    if (h !== 0) {
      for (let k = 0; k <= i; k += 1) d[k] = (v[k * n + i + 1] as number) / h;
      for (let j = 0; j <= i; j += 1) {
        let g = 0;
        for (let k = 0; k <= i; k += 1) g += (v[k * n + i + 1] as number) * (v[k * n + j] as number);
        for (let k = 0; k <= i; k += 1) v[k * n + j] = (v[k * n + j] as number) - g * (d[k] as number);
      }
    }
    for (let k = 0; k <= i; k += 1) v[k * n + i + 1] = 0;
  }
  for (let j = 0; j < n; j += 1) {
    d[j] = v[(n - 1) * n + j] as number;
    v[(n - 1) * n + j] = 0;
  }
  v[(n - 1) * n + n - 1] = 1;
}

const roundsMax = 60;

function diagonal(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  let shift = 0;
  let largest = 0;
  for (let l = 0; l < n; l += 1) {
    largest = Math.max(largest, Math.abs(d[l] as number) + Math.abs(e[l] as number));
    let m = l;
    while (m < n - 1 && Math.abs(e[m] as number) > Number.EPSILON * largest) m += 1;
    for (let round = 0; m > l && round < roundsMax; round += 1) {
      shift += implicitShift(d, e, n, l);
      rotate(v, d, e, n, l, m);
      if (Math.abs(e[l] as number) <= Number.EPSILON * largest) break;
    }
    d[l] = (d[l] as number) + shift;
    e[l] = 0;
  }
}

function implicitShift(d: Float64Array, e: Float64Array, n: number, l: number): number {
  const g = d[l] as number;
  const p = ((d[l + 1] as number) - g) / (2 * (e[l] as number));
  const r = p < 0 ? -Math.hypot(p, 1) : Math.hypot(p, 1);
  d[l] = (e[l] as number) / (p + r);
  d[l + 1] = (e[l] as number) * (p + r);
  const h = g - (d[l] as number);
  for (let i = l + 2; i < n; i += 1) d[i] = (d[i] as number) - h;
  return h;
}

function rotate(v: Float64Array, d: Float64Array, e: Float64Array, n: number, l: number, m: number): void {
  let p = d[m] as number;
  let c = 1;
  let c2 = 1;
  let c3 = 1;
  const next = d[l + 1] as number;
  const edge = e[l + 1] as number;
  let s = 0;
  let s2 = 0;
  for (let i = m - 1; i >= l; i -= 1) {
    c3 = c2;
    c2 = c;
    s2 = s;
    const g = c * (e[i] as number);
    const h = c * p;
    const r = Math.hypot(p, e[i] as number);
    e[i + 1] = s * r;
    s = (e[i] as number) / r;
    c = p / r;
    p = c * (d[i] as number) - s * g;
    d[i + 1] = h + s * (c * g + s * (d[i] as number));
    for (let k = 0; k < n; k += 1) {
      const a = v[k * n + i + 1] as number;
      const b = v[k * n + i] as number;
      v[k * n + i + 1] = s * b + c * a;
      v[k * n + i] = c * b - s * a;
    }
  }
  p = (-s * s2 * c3 * edge * (e[l] as number)) / next;
  e[l] = s * p;
  d[l] = c * p;
}

function sorted(v: Float64Array, d: Float64Array, n: number): Eigen {
  const order = Array.from({ length: n }, (_, index) => index).sort((a, b) => (d[a] ?? 0) - (d[b] ?? 0));
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let row = 0; row < n; row += 1) vectors[row * n + to] = v[row * n + from] as number;
  });
  return { values: Float64Array.from(order, (index) => d[index] ?? 0), vectors };
}
