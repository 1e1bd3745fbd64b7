import type { ModelKind } from '@tollbook/models/files/installed-models'
import type { Config } from '@tollbook/runtime/config'

/** The setting that is used instead of every installed model of this kind; null without one. */
export function findOverride(config: Config, kind: ModelKind): keyof Config | null {
  if (kind === 'translation')
    return config.TOLLBOOK_TRANSLATE_ORDER.includes('bergamot') ? null : 'TOLLBOOK_TRANSLATE_ORDER'
  const names = ['TOLLBOOK_TRANSCRIPTION_URL', 'TOLLBOOK_WHISPER_FILE'] as const
  return kind === 'transcription' ? (names.find((name) => config[name] !== undefined) ?? null) : null
}
