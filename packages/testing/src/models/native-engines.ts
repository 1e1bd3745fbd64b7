/** Systems as the packages of node-llama-cpp name them, where they differ from Node's. */
const LLAMA_SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'mac', win32: 'win' }
const LLAMA_KINDS = process.platform === 'darwin' && process.arch === 'arm64' ? '-metal' : ''

/** Why tests with llama.cpp are skipped: false where its binary is for this platform. */
export function llamaSkip(): string | false {
  const system = LLAMA_SYSTEMS[process.platform] ?? process.platform
  return skipWithout(`@node-llama-cpp/${system}-${process.arch}${LLAMA_KINDS}`)
}

/** Why tests with whisper.cpp are skipped: false where its binary is for this platform. */
export function whisperSkip(): string | false {
  return skipWithout(`@fugood/node-whisper-${process.platform}-${process.arch}`)
}

function skipWithout(name: string): string | false {
  try {
    import.meta.resolve(name)
    return false
  } catch {
    return `${name} is not there for this platform`
  }
}
