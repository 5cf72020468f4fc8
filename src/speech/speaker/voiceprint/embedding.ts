/** Speaker embeddings: vectors of equal length, most of them of unit length. */
export type Embedding = Float32Array;

export function dot(one: Embedding, other: Embedding): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1)
    sum += (one[index] as number) * (other[index] as number);
  return sum;
}

/** In place. */
export function unitLength(vector: Embedding): Embedding {
  const norm = Math.sqrt(dot(vector, vector)) || 1;
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] as number) / norm;
  return vector;
}

export function meanVector(vectors: readonly Embedding[]): Embedding {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let index = 0; index < mean.length; index += 1) {
      mean[index] = (mean[index] as number) + (vector[index] as number) / vectors.length;
    }
  }
  return mean;
}

/** Each vector less `centre`, of unit length again. */
export function centred(vectors: readonly Embedding[], centre: Embedding): Embedding[] {
  return vectors.map((vector) => unitLength(vector.map((value, index) => value - (centre[index] as number))));
}

/** Cosines of unit vectors, row by row. */
export function cosineMatrix(vectors: readonly Embedding[]): Float64Array {
  const size = vectors.length;
  const matrix = new Float64Array(size * size);
  vectors.forEach((one, row) => {
    for (let column = 0; column <= row; column += 1) {
      const cosine = dot(one, vectors[column] as Embedding);
      matrix[row * size + column] = cosine;
      matrix[column * size + row] = cosine;
    }
  });
  return matrix;
}
