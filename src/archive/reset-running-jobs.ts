import type { Queryable } from '../platform/database/database.ts';

/**
 * Jobs in progress begin again with their upload or link: what their steps had made or found out is not carried along, only
 * a language that was given. Their tasks are missing, which the first comparison of jobs with tasks finds.
 */
export async function resetRunningJobs(tx: Queryable): Promise<number> {
  await tx.query('delete from chunk');
  await tx.query('delete from step_fault');
  const rows = await tx.query(
    `update transcription
     set stage = 'queued', stage_fraction = 0, stage_at = now(), progressed_at = now(), audio = null, media = null,
       chunks_total = null, chunks_left = null, duration_seconds = null,
       options = case when options @> '{"languageIsFound": true}'
         then (options - 'languageIsFound') || '{"language": null}' else options end
     where status = 'processing' returning id`,
  );
  return rows.length;
}
