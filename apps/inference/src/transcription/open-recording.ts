import { type Problem, ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import { type Programs, runsHere } from '../engine/run-program.ts'
import { HEARD_RATE, MAX_RECORDING_SECONDS, type Recording } from '../sound/decode-recording.ts'
import type { RecordingKind } from '../sound/recording-kind.ts'

const decode = defineJob<typeof import('../sound/decode-recording.ts').decodeRecording>({
  module: new URL('../sound/decode-recording.ts', import.meta.url),
  name: 'decodeRecording',
  deadlineMs: 30_000,
})

const MP3_DECODER = 'mpg123'
const MP3_DEADLINE_MS = 60_000
/** Of one 16-bit sample. */
const SAMPLE_BYTES = 2

/** The formats that can be decoded: always WAV, and mp3 if its decoder is installed. */
export async function findDecodableKinds(): Promise<readonly RecordingKind[]> {
  return (await runsHere(MP3_DECODER)) ? ['wav', 'mp3'] : ['wav']
}

type Options = { readonly workers: WorkerPool; readonly programs: Programs }

/**
 * Decodes an upload into the input format of transcribers. Its length is determined by its samples alone.
 * @throws ProblemError `too_large` beyond five minutes, `cannot_be_served` if it cannot be decoded
 */
export async function openRecording(
  { bytes, kind }: { readonly bytes: Uint8Array; readonly kind: RecordingKind },
  { workers, programs }: Options,
  signal: AbortSignal,
): Promise<Recording> {
  if (kind === 'mp3') return await openMp3(bytes, programs, signal)
  const decoded = await workers.run(decode, { bytes }, signal)
  if ('tooLongSeconds' in decoded) throw new ProblemError(TOO_LONG)
  if ('refusal' in decoded)
    throw new ProblemError({ code: 'cannot_be_served', detail: `The file ${decoded.refusal}.` })
  return decoded
}

async function openMp3(bytes: Uint8Array, programs: Programs, signal: AbortSignal): Promise<Recording> {
  const order = {
    program: MP3_DECODER,
    // Raw samples on standard output, the channels mixed into one.
    args: ['-q', '-s', '-m', '-r', `${HEARD_RATE}`, '-'],
    stdin: bytes,
    maxBytes: MAX_RECORDING_SECONDS * HEARD_RATE * SAMPLE_BYTES,
    tooMuch: TOO_LONG,
    deadlineMs: MP3_DEADLINE_MS,
  }
  const pcm = await programs.run(order, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error instanceof ProblemError ? error : new ProblemError(UNREADABLE_MP3, { cause: error })
  })
  if (pcm.length === 0) throw new ProblemError(UNREADABLE_MP3)
  return { pcm, seconds: pcm.length / SAMPLE_BYTES / HEARD_RATE }
}

const TOO_LONG: Problem = {
  code: 'too_large',
  detail: `The recording is longer than ${MAX_RECORDING_SECONDS} seconds, counted by its samples.`,
  members: { limit_seconds: MAX_RECORDING_SECONDS },
}

const UNREADABLE_MP3: Problem = {
  code: 'cannot_be_served',
  detail: 'The file begins like an mp3, but no sound can be decoded from it.',
}
