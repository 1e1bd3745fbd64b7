/** The answer for a page with one image that lacks a text alternative. */
export const EXAMPLE = {
  url: 'https://example.com/post',
  final_url: 'https://example.com/post',
  status: 200,
  redirects: [],
  fetch_ms: 182.4,
  bytes: 512,
  engine: 'tollbook-static',
  standard: 'wcag22' as const,
  level: 'AAA' as const,
  summary: {
    violations: 1,
    needs_review: 0,
    passes: 2,
    by_level: { A: 1, AA: 0, AAA: 0, best_practice: 0 },
    by_impact: { critical: 1, serious: 0, moderate: 0, minor: 0 },
  },
  findings: [
    {
      rule: 'image-alt',
      impact: 'critical' as const,
      level: 'A' as const,
      success_criteria: [
        {
          sc: '1.1.1',
          name: 'Non-text Content',
          level: 'A' as const,
          url: 'https://www.w3.org/WAI/WCAG22/Understanding/non-text-content',
        },
      ],
      message: 'Images must have a text alternative or be marked as decorative.',
      help_url: 'https://www.w3.org/WAI/standards-guidelines/act/rules/23a2a8/',
      count: 1,
      nodes: [
        {
          selector: 'body > header > img',
          html: '<img src="logo.png">',
          message: 'The image has no text alternative; add alt text, or alt="" if it is decorative.',
        },
      ],
    },
  ],
  needs_review: [],
  passes: ['document-title', 'html-has-lang'],
  not_testable_statically: [
    {
      sc: '2.4.7',
      name: 'Focus Visible',
      level: 'AA' as const,
      url: 'https://www.w3.org/WAI/WCAG22/Understanding/focus-visible',
    },
  ],
  stylesheets: { linked: 1, read: 1 },
  score: 55,
  ts: '2026-11-21T10:00:00.000Z',
}
