import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '../../config.ts'

/** Settings that a file can hold instead. */
type Secret = 'TOLLBOOK_HYPERSYNC_TOKEN' | 'TOLLBOOK_SQD_TOKEN'

/**
 * The value of a secret setting, or the content of the file of `<NAME>_FILE`, without line breaks at its end.
 * @throws ConfigError if both are set, or the file cannot be used; it does not repeat the value.
 */
export function readSecret(config: Config, name: Secret): string | undefined {
  const file = config[`${name}_FILE`]
  if (file === undefined) return config[name]
  if (config[name] !== undefined)
    throw new ConfigError([`${name}: must not be set together with ${name}_FILE`])
  let text: string
  try {
    text = readFileSync(file, 'utf8').trimEnd()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new ConfigError([`${name}_FILE: the file cannot be read (${code})`])
  }
  if (!/^[\x21-\x7e]+$/.test(text)) throw new ConfigError([`${name}_FILE: must hold one word of ASCII`])
  return text
}
