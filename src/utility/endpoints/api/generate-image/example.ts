/** Two by two pixels; real images have a million. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWPgL8vjL8tjgFAAGSYDzSYWa8wAAAAASUVORK5CYII='

/** A request and its answer. */
export const GENERATE_IMAGE_EXAMPLE = {
  input: { prompt: 'A lighthouse on a cliff at dawn', style: 'watercolour', seed: 7 },
  output: {
    prompt: 'A lighthouse on a cliff at dawn',
    revised_prompt: null,
    aspect: '1:1' as const,
    width: 2,
    height: 2,
    content_type: 'image/png' as const,
    image_base64: PNG,
    data_uri: `data:image/png;base64,${PNG}`,
    seed: 7,
    engine: 'automatic1111' as const,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
