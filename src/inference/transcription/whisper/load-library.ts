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

/** What is used of the package; its own types are sources of a module kind that the compiler refuses here. */
type Library = {
  /** Rejects where the file cannot be loaded. */
  initWhisper(
    options: { readonly filePath: string; readonly useGpu: boolean },
    variant: 'default' | 'cuda' | 'vulkan',
  ): Promise<{
    /** @param pcm signed 16-bit samples of one channel, 16,000 a second; all of the buffer is read */
    transcribeData(pcm: ArrayBuffer, options: HearingOptions): { readonly promise: Promise<Heard> }
  }>
}

const NAME: string = '@fugood/whisper.node'

/**
 * Loads whisper.cpp: an optional dependency, needed by those alone who have a model.
 * @throws Error that says what to install
 */
export async function loadLibrary(): Promise<Library> {
  try {
    // As its lib/index.ts declares it, version 1.1.3.
    return (await import(NAME)) as Library
  } catch (error) {
    throw new Error(`the package ${NAME} is not installed here: npm install ${NAME}@1.1.3`, { cause: error })
  }
}
