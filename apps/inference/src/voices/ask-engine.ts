import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findCommand, INSTALL, PROGRAM_ENVIRONMENT } from '../engine/find-command.ts'
import type { Voice } from './voice.ts'
import type { VoiceListing } from './voice-source.ts'

const run = promisify(execFile)

/** An engine lists its voices in some 20 ms. */
const TIMEOUT_MS = 10_000

type Question = {
  readonly program: keyof typeof INSTALL
  /** One run of the program per argument list; the outputs are parsed together. */
  readonly flags: readonly string[]
  readonly parse: (...outputs: readonly string[]) => readonly Voice[]
}

/** Lists the voices of a program; if the program is absent or fails, its voices are unavailable. */
export async function askEngine(question: Question, signal: AbortSignal): Promise<VoiceListing> {
  const { program, flags, parse } = question
  try {
    const options = { timeout: TIMEOUT_MS, signal, env: PROGRAM_ENVIRONMENT }
    const list = async (flag: string) => {
      const { file, args } = findCommand(program, [flag])
      return (await run(file, args, options)).stdout
    }
    const outputs = await Promise.all(flags.map(list))
    return { isAvailable: true, voices: parse(...outputs) }
  } catch (error) {
    signal.throwIfAborted()
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { isAvailable: false, reason: isAbsent ? `not installed (${INSTALL[program]})` : String(error) }
  }
}
