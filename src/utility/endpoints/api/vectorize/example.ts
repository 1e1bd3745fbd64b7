/** A request and its answer; the image is a disc on white, 64 pixels wide. */
export const VECTORIZE_EXAMPLE = {
  input: { url: 'https://example.com/logo.png' },
  output: {
    source: 'https://example.com/logo.png',
    output_format: 'svg' as const,
    content_type: 'image/svg+xml',
    width: 64,
    height: 64,
    colors: ['#ffffff', '#0f766e'],
    paths: 2,
    nodes: 8,
    input_bytes: 909,
    output_bytes: 298,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64"><path fill="#ffffff" d="M0 0h64v64h-64z"/><path fill="#0f766e" d="M28.36 8.29c14.39-2.47 27.64 9.3 27.64 23.71 0 13.21-11.21 24.42-24.52 24.01-12.98-.4-23.48-10.94-23.48-24.01 0-12.01 8.69-21.7 20.36-23.71z"/></svg>',
    engine: 'tollbook' as const,
    duration_ms: 640,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
