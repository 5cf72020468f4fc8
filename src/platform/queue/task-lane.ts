/**
 * Where a task waits: in a lane (one for each account), at a position of it. The queue's library orders tasks by one
 * integer, so both are written into it: 16 bits of lane, 15 bits of position, a lower position first.
 */
const positionBits = 15;
const positionsMax = 2 ** positionBits - 1;
const lanesMax = 2 ** 16;

/** The integer by which the tasks of one lane stand together, in the order of their positions. Higher is taken first. */
export function priorityOf(lane: number, position: number): number {
  return (lane % lanesMax) * 2 ** positionBits + (positionsMax - Math.min(position, positionsMax));
}

export function laneOf(priority: number): number {
  return Math.floor(priority / 2 ** positionBits);
}

export function positionOf(priority: number): number {
  return positionsMax - (priority % 2 ** positionBits);
}

export function prioritiesOf(lane: number): { minPriority: number; maxPriority: number } {
  return { minPriority: priorityOf(lane, positionsMax), maxPriority: priorityOf(lane, 0) };
}

/** Due tasks that nobody has, in the order of the library's own index. */
const waiting = `name = $1 and state < 'active' and not blocked and start_after <= now()`;

/** The highest priority of every lane in which a task waits: one look into the index for each lane. */
export const headsOfLanes = `
  with recursive head (priority) as (
    (select priority from queue.job where ${waiting} order by priority desc limit 1)
    union all
    select (select priority from queue.job
            where ${waiting} and priority < (head.priority >> ${positionBits}) << ${positionBits}
            order by priority desc limit 1)
    from head where head.priority is not null
  )
  select priority from head where priority is not null`;

/** Of the queues $1 those in which a task is due, and whether the duty $2 was done $3 seconds ago or longer. */
export const dueQueues = `
  select
    (select array_agg(wanted) from unnest($1::text[]) wanted
     where exists (select from queue.job where ${waiting.replace('$1', 'wanted')})) as due,
    not exists (select from duty where name = $2 and done_at > now() - make_interval(secs => $3)) as supervise`;

/** The same for one lane, due or not. */
export const headOfLane = `
  select priority from queue.job
  where name = $1 and state < 'active' and not blocked and priority between $2 and $3
  order by priority desc limit 1`;
