import { open } from 'node:fs/promises'
import { serveEngine } from '@tollbook/workers/serve-engine'
import type { WhisperAbout, WhisperOrder, WhisperResult, WhisperSettings } from './orders.ts'

type Heard = {
  readonly result: string
  readonly language?: string
  readonly segments: readonly { readonly text: string; readonly t0: number; readonly t1: number }[]
}

type HearingOptions = {
  readonly language: string
  readonly maxThreads?: number
  readonly prompt?: string
  readonly temperature?: number
  readonly tokenTimestamps?: boolean
  readonly maxLen?: number
}

/** The used part of the package; its own types are sources of a module kind that the compiler rejects here. */
type Library = {
  /** Rejects if the file cannot be loaded. */
  initWhisper(
    options: { readonly filePath: string; readonly useGpu: boolean },
    variant: 'default' | 'cuda' | 'vulkan',
  ): Promise<{
    /** @param pcm signed 16-bit samples of one channel, 16,000 per second; the whole buffer is read */
    transcribeData(pcm: ArrayBuffer, options: HearingOptions): { readonly promise: Promise<Heard> }
  }>
}

const NAME: string = '@fugood/whisper.node'

/** The start of a whisper.cpp model file (models/convert-pt-to-ggml.py): this, then the number of tokens. */
const MAGIC = 0x67676d6c
/** Tokens of an English-only model; a multilingual one has one more, and one for each language beyond 99. */
const ENGLISH_TOKENS = 51_864
const MIN_LANGUAGES = 99

serveEngine(async (provided) => {
  // Messages from the parent process.
  const { file, threads, variant } = provided as WhisperSettings
  const about: WhisperAbout = { languages: await countLanguages(file) }
  const { initWhisper } = await loadLibrary()
  const options = { filePath: file, useGpu: variant !== 'default' || process.platform === 'darwin' }
  const context = await initWhisper(options, variant).catch((error: unknown) => {
    throw new Error(`whisper.cpp cannot load the model ${file}: ${messageOf(error)}`)
  })
  return {
    about,
    async run(order): Promise<WhisperResult> {
      const { pcm, language, prompt, temperature, needsWords } = order as WhisperOrder
      // A separate buffer, because the library reads the whole buffer.
      const { promise } = context.transcribeData(new Uint8Array(pcm).buffer, {
        language,
        ...(threads > 0 && { maxThreads: threads }),
        ...(prompt !== null && { prompt }),
        ...(temperature !== null && { temperature }),
        ...(needsWords && { tokenTimestamps: true, maxLen: 1 }),
      })
      const heard = await promise
      return { text: heard.result, language: heard.language ?? language, pieces: heard.segments }
    },
  }
})

/** Detects a file that is not a model before the library is loaded, and reads which languages a model supports. */
async function countLanguages(file: string): Promise<number> {
  const head = Buffer.alloc(8)
  try {
    const handle = await open(file)
    await handle.read(head).finally(() => handle.close())
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error })
  }
  if (head.readUInt32LE(0) !== MAGIC) throw new Error(`${file} is not a ggml file of whisper.cpp`)
  const tokens = head.readInt32LE(4)
  return tokens <= ENGLISH_TOKENS ? 1 : MIN_LANGUAGES + tokens - ENGLISH_TOKENS - 1
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Loads whisper.cpp, an optional dependency that only operators with a model need.
 * @throws Error that states what to install
 */
async function loadLibrary(): Promise<Library> {
  try {
    // As declared in its lib/index.ts, version 1.1.3.
    return (await import(NAME)) as Library
  } catch (error) {
    throw new Error(`the package ${NAME} is not installed here: npm install ${NAME}@1.1.3`, { cause: error })
  }
}
