/** What the process of a whisper model loads. */
export type WhisperSettings = {
  /** Absolute path of the ggml file. */
  readonly file: string
  /** 0: as many as whisper.cpp takes. */
  readonly threads: number
  /** Which build of the library is asked for; where it is not installed, the one for the processor runs. */
  readonly variant: 'default' | 'cuda' | 'vulkan'
}

/** What it tells of the model: how many languages it knows; 1 is English alone. */
export type WhisperAbout = { readonly languages: number }

export type WhisperOrder = {
  /** Signed 16-bit little-endian samples of one channel, 16,000 a second. */
  readonly pcm: Uint8Array
  /** A code of whisper's, or `auto`. */
  readonly language: string
  readonly prompt: string | null
  readonly temperature: number | null
  /** Whether each token is wanted for itself, rather than whole segments. */
  readonly needsWords: boolean
}

/** A segment or a token as whisper.cpp gives it; a token's text may end within a character. */
export type WhisperPiece = { readonly text: string; readonly t0: number; readonly t1: number }

export type WhisperResult = {
  readonly text: string
  /** A code of whisper's. */
  readonly language: string
  readonly pieces: readonly WhisperPiece[]
}
