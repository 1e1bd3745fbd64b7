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

/**
 * The used part of the package; its own types are sources of a module kind that the compiler rejects here.
 */
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

/**
 * Loads whisper.cpp, an optional dependency that only operators with a model need.
 * @throws Error that states what to install
 */
export async function loadLibrary(): Promise<Library> {
  try {
    // As declared in its lib/index.ts, version 1.1.3.
    return (await import(NAME)) as Library
  } catch (error) {
    throw new Error(`the package ${NAME} is not installed here: npm install ${NAME}@1.1.3`, { cause: error })
  }
}
