/** A request and its answer, by Apertium 3.8.3 with eng-spa 0.8.1. */
export const TRANSLATE_EXAMPLE = {
  input: { text: '# The house\n\nThe **small** house is near `main.ts`.', target: 'Spanish' },
  output: {
    translation: '# La casa\n\nLa **casa** pequeña es cerca `main.ts`.',
    source_language: { code: 'en', name: 'English', confidence: 0.83 },
    target_language: { code: 'es', name: 'Spanish' },
    characters: 51,
    provider: 'apertium' as const,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
