/**
 * Spectral clustering that finds the number of clusters itself: each vector keeps its nearest neighbours, the graph's
 * Laplacian is decomposed, and the largest gap between small eigenvalues says how many groups there are. How many
 * neighbours to keep is chosen by the clearest gap (normalised maximum eigengap).
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

interface SpectralOptions {
  countMin: number;
  countMax: number;
}

/** Shares of all vectors that count as neighbours. */
const neighbourShares = [0.04, 0.07, 0.1, 0.14, 0.2, 0.28];
const neighboursMin = 4;

interface Spectrum {
  count: number;
  /** Share of neighbours by gap; the smaller, the clearer. */
  ratio: number;
  coordinates: Float64Array[];
}

/** 1 where one of two is among the other's nearest, ½ where only one way. */
function neighbourGraph(cosines: Float64Array, size: number, neighbours: number): Float64Array {
  const graph = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    const order = Array.from({ length: size }, (_, column) => column).sort(
      (a, b) => (cosines[row * size + b] as number) - (cosines[row * size + a] as number),
    );
    for (const column of order.slice(0, neighbours + 1)) {
      if (column === row) continue;
      graph[row * size + column] = (graph[row * size + column] as number) + 0.5;
      graph[column * size + row] = (graph[column * size + row] as number) + 0.5;
    }
  }
  return graph;
}

function laplacian(graph: Float64Array, size: number): Float64Array {
  const result = graph.map((value) => -value);
  for (let row = 0; row < size; row += 1) {
    let degree = 0;
    for (let column = 0; column < size; column += 1) degree += graph[row * size + column] as number;
    result[row * size + row] = degree;
  }
  return result;
}

function spectrum(
  cosines: Float64Array,
  size: number,
  neighbours: number,
  options: SpectralOptions,
): Spectrum {
  const matrix = Matrix.from1DArray(size, size, laplacian(neighbourGraph(cosines, size, neighbours), size));
  const { realEigenvalues: values, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, {
    assumeSymmetric: true,
  });
  const largest = values[size - 1] || 1;
  const low = Math.max(1, options.countMin);
  const high = Math.min(options.countMax, size - 1);
  let count = low;
  let gap = Number.NEGATIVE_INFINITY;
  for (let candidate = low; candidate <= high; candidate += 1) {
    const step = ((values[candidate] as number) - (values[candidate - 1] as number)) / largest;
    if (step > gap) {
      gap = step;
      count = candidate;
    }
  }
  const coordinates = Array.from({ length: size }, (_, row) =>
    Float64Array.from({ length: count }, (_unused, column) => eigenvectorMatrix.get(row, column)),
  );
  return { count, ratio: neighbours / size / Math.max(gap, 1e-9), coordinates };
}

export function spectralClusters(cosines: Float64Array, size: number, options: SpectralOptions): number[] {
  let best: Spectrum | undefined;
  const tried = new Set<number>();
  for (const share of neighbourShares) {
    const neighbours = Math.max(neighboursMin, Math.round(share * size));
    if (tried.has(neighbours) || neighbours >= size) continue;
    tried.add(neighbours);
    const candidate = spectrum(cosines, size, neighbours, options);
    if (!best || candidate.ratio < best.ratio) best = candidate;
  }
  return best ? kMeans(best.coordinates, best.count) : new Array<number>(size).fill(0);
}

const roundsMax = 50;

function squaredDistance(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1)
    sum += ((one[index] as number) - (other[index] as number)) ** 2;
  return sum;
}

function nearest(point: Float64Array, centres: readonly Float64Array[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  centres.forEach((centre, index) => {
    const distance = squaredDistance(point, centre);
    if (distance < least) {
      least = distance;
      best = index;
    }
  });
  return best;
}

/** Starts from points far apart, so that the same input always gives the same clusters. */
function kMeans(points: readonly Float64Array[], count: number): number[] {
  const centres: Float64Array[] = [];
  const first = points[0];
  if (!first) return [];
  centres.push(first);
  while (centres.length < count) {
    const distances = points.map((point) =>
      Math.min(...centres.map((centre) => squaredDistance(point, centre))),
    );
    centres.push(points[distances.indexOf(Math.max(...distances))] as Float64Array);
  }
  let labels = points.map((point) => nearest(point, centres));
  for (let round = 0; round < roundsMax; round += 1) {
    for (let cluster = 0; cluster < count; cluster += 1) {
      const members = points.filter((_, index) => labels[index] === cluster);
      if (members.length === 0) continue;
      centres[cluster] = first.map(
        (_, item) => members.reduce((sum, point) => sum + (point[item] as number), 0) / members.length,
      );
    }
    const next = points.map((point) => nearest(point, centres));
    if (next.every((label, index) => label === labels[index])) break;
    labels = next;
  }
  return labels;
}
