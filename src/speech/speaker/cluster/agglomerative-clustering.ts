/**
 * Average-link clustering: joins the two most similar clusters (mean cosine over all pairs) until none are similar
 * enough or few enough are left.
 * Gives a label from 0 for each row. Cubic: for a few hundred vectors.
 */
interface AgglomerativeOptions {
  /** Clusters whose mean cosine is below this stay apart. */
  cosineMin: number;
  countMin: number;
  countMax: number;
}

interface Pair {
  first: number;
  second: number;
  cosine: number;
}

function closestPair(links: Float64Array, alive: readonly number[], size: number): Pair {
  let best: Pair = { first: -1, second: -1, cosine: Number.NEGATIVE_INFINITY };
  alive.forEach((first, position) => {
    for (let later = position + 1; later < alive.length; later += 1) {
      const second = alive[later] as number;
      const cosine = links[first * size + second] as number;
      if (cosine > best.cosine) best = { first, second, cosine };
    }
  });
  return best;
}

export function agglomerativeClusters(
  cosines: Float64Array,
  size: number,
  { cosineMin, countMin, countMax }: AgglomerativeOptions,
): number[] {
  const links = Float64Array.from(cosines);
  const members = Array.from({ length: size }, (_, index) => [index]);
  let alive = members.map((_, index) => index);
  while (alive.length > Math.max(1, countMin)) {
    const { first, second, cosine } = closestPair(links, alive, size);
    if (cosine < cosineMin && alive.length <= countMax) break;
    const firstSize = members[first]?.length ?? 0;
    const secondSize = members[second]?.length ?? 0;
    for (const other of alive) {
      const joined =
        (firstSize * (links[first * size + other] as number) +
          secondSize * (links[second * size + other] as number)) /
        (firstSize + secondSize);
      links[first * size + other] = joined;
      links[other * size + first] = joined;
    }
    members[first]?.push(...(members[second] ?? []));
    alive = alive.filter((index) => index !== second);
  }
  const labels = new Array<number>(size).fill(0);
  alive.forEach((cluster, label) => {
    for (const member of members[cluster] ?? []) labels[member] = label;
  });
  return labels;
}
