/** The load options of a whisper process. */
export type WhisperSettings = {
  /** Absolute path of the ggml file. */
  readonly file: string
  /** 0: whisper.cpp's default. */
  readonly threads: number
  /** The requested build of the library; if it is not installed, the CPU build runs. */
  readonly variant: 'default' | 'cuda' | 'vulkan'
}

/** What it reports about the model: the number of its languages; 1 means English only. */
export type WhisperAbout = { readonly languages: number }

export type WhisperOrder = {
  /** Signed 16-bit little-endian samples of one channel, 16,000 per second. */
  readonly pcm: Uint8Array
  /** A whisper language code, or `auto`. */
  readonly language: string
  readonly prompt: string | null
  readonly temperature: number | null
  /** Whether each token is returned separately, rather than whole segments. */
  readonly needsWords: boolean
}

/** A segment or a token from whisper.cpp; a token's text may end within a character. */
export type WhisperPiece = { readonly text: string; readonly t0: number; readonly t1: number }

export type WhisperResult = {
  readonly text: string
  /** A whisper language code. */
  readonly language: string
  readonly pieces: readonly WhisperPiece[]
}
