import { z } from 'zod';

/** What an account may do. Plans are data: the code never asks for a plan by name. */
export interface Plan {
  name: string;
  fileBytesMax: number;
  mediaSecondsMax: number;
  dailyTranscriptionsMax: number;
  /** At once; the others wait their turn. */
  runningTranscriptionsMax: number;
  speakerDiarization: boolean;
  /** Of uploads that no job uses yet, together. */
  unclaimedBytesMax: number;
  /** Uploads that are prepared and not yet complete. */
  openUploadsMax: number;
}

export type PlanTable = ReadonlyMap<string, Plan>;

const mebibyte = 1024 * 1024;
/** Of a plan that does not say it. */
const openUploadsDefault = 100;
/** For tables from before this could be set. */
const runningDefault = 20;

const planSchema = z.strictObject({
  file_bytes_max: z.int().positive(),
  media_seconds_max: z.int().positive(),
  daily_transcriptions_max: z.int().positive(),
  running_transcriptions_max: z.int().positive().default(runningDefault),
  speaker_diarization: z.boolean(),
  unclaimed_bytes_max: z.int().positive().optional(),
  open_uploads_max: z.int().positive().optional(),
});

/** The shape of the file that LONGHAND_PLANS names: plan name to limits. */
const planTableSchema = z
  .record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), planSchema)
  .refine((table) => Object.keys(table).length > 0, 'at least one plan is needed');

export const builtInPlans: z.infer<typeof planTableSchema> = {
  free: {
    file_bytes_max: 500 * mebibyte,
    media_seconds_max: 10 * 3600,
    daily_transcriptions_max: 10,
    running_transcriptions_max: 2,
    speaker_diarization: false,
    unclaimed_bytes_max: 1024 * mebibyte,
    open_uploads_max: 20,
  },
  pro: {
    file_bytes_max: 5 * 1024 * mebibyte,
    media_seconds_max: 10 * 3600,
    daily_transcriptions_max: 500,
    running_transcriptions_max: 20,
    speaker_diarization: true,
    unclaimed_bytes_max: 20 * 1024 * mebibyte,
    open_uploads_max: 200,
  },
};

/** Reads a plan table; throws an error whose message names the field that is wrong. */
export function parsePlanTable(json: unknown): PlanTable {
  const parsed = planTableSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the table'}: ${issue?.message}`);
  }
  return new Map(
    Object.entries(parsed.data).map(([name, limits]) => [
      name,
      {
        name,
        fileBytesMax: limits.file_bytes_max,
        mediaSecondsMax: limits.media_seconds_max,
        dailyTranscriptionsMax: limits.daily_transcriptions_max,
        runningTranscriptionsMax: limits.running_transcriptions_max,
        speakerDiarization: limits.speaker_diarization,
        unclaimedBytesMax: limits.unclaimed_bytes_max ?? 4 * limits.file_bytes_max,
        openUploadsMax: limits.open_uploads_max ?? openUploadsDefault,
      },
    ]),
  );
}

/** The plan for the operator's own use: the one that takes the largest files. */
export function mostGenerousPlan(plans: PlanTable): Plan {
  return bySize(plans).at(-1) ?? noPlans();
}

/** The plan for people whom nobody has put on another one. */
export function leastGenerousPlan(plans: PlanTable): Plan {
  return bySize(plans)[0] ?? noPlans();
}

function bySize(plans: PlanTable): Plan[] {
  return [...plans.values()].toSorted((a, b) => a.fileBytesMax - b.fileBytesMax);
}

function noPlans(): never {
  throw new Error('the plan table is empty');
}
