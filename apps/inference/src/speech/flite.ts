import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTemporaryFolder } from '../engine/in-temporary-folder.ts'
import type { Programs } from '../engine/run-program.ts'
import { breakMarks } from './break-marks.ts'
import type { SpeechEngine } from './speech-engine.ts'

/** 3,000 characters take it some 2 seconds of a core. */
const DEADLINE_MS = 40_000
/** Its standard output is not read. */
const MAX_BYTES = 100_000

/** Flite, run as a separate program for each text; it writes sentence by sentence into a file, never into a pipe. */
export function createFlite(programs: Programs): SpeechEngine {
  return {
    provider: 'flite',
    speeds: { min: 0.25, max: 4 },
    speak: ({ voice, text, speed }, signal) =>
      inTemporaryFolder(async (folder) => {
        const file = join(folder, 'speech.wav')
        const name = voice.id.slice('flite.'.length)
        const stretch = `duration_stretch=${(1 / speed).toFixed(4)}`
        await programs.run(
          {
            program: 'flite',
            args: ['-voice', name, '--setf', stretch, '-f', '-', '-o', file],
            stdin: breakMarks(text),
            maxBytes: MAX_BYTES,
            deadlineMs: DEADLINE_MS,
          },
          signal,
        )
        return { kind: 'wav' as const, bytes: await readFile(file) }
      }),
  }
}
