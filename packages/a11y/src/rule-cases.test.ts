import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ALL_RULES } from './all-rules.ts'
import { checkPage } from './check-page.ts'
import { createPageModel } from './page-model.ts'

/**
 * Pages and fragments, each below a comment with a rule and its expected result, by the rule's definition in
 * the ACT catalogue (`Rule.act`) or, if it has none, by its success criterion or the HTML Standard.
 */
const CASES = readFileSync(new URL('golden/rule-cases.html', import.meta.url), 'utf8')
  .split(/^(?=<!-- [a-z-]+ (?:fails|review|passes|silent) -->$)/m)
  .map((text) => {
    const [, rule = '', verdict = '', html = ''] = /^<!-- (\S+) (\S+) -->\n(.*)$/s.exec(text) ?? []
    return { rule, verdict, html: html.trim() }
  })

function verdictOf(rule: string, html: string): string {
  const whole = /<html/.test(html)
    ? html
    : `<html lang="en"><head><title>Tides</title></head><body>${html}</body></html>`
  // WCAG 2.2 dropped criterion 4.1.1, which requires unique ids.
  const standard = rule === 'duplicate-id' ? 'wcag21' : 'wcag22'
  const options = { level: 'AAA', standard, hasBestPractices: true } as const
  const report = checkPage(createPageModel({ html: whole, url: 'https://example.com/' }), options)
  if (report.findings.some((finding) => finding.rule === rule)) return 'fails'
  if (report.needsReview.some((finding) => finding.rule === rule)) return 'review'
  return report.passes.includes(rule) ? 'passes' : 'silent'
}

for (const { id: rule } of ALL_RULES)
  test(`${rule} finds violations and only violations`, () => {
    const own = CASES.filter((one) => one.rule === rule)
    assert.ok(
      own.some(({ verdict }) => verdict === 'fails' || verdict === 'review'),
      'no case violates the rule',
    )
    assert.ok(
      own.some(({ verdict }) => verdict === 'passes' || verdict === 'silent'),
      'no case satisfies the rule',
    )
    for (const { html, verdict } of own) assert.equal(verdictOf(rule, html), verdict, html)
  })

test('every case names a rule that exists', () => {
  const known = new Set(ALL_RULES.map(({ id }) => id))
  assert.deepEqual(
    CASES.filter(({ rule }) => !known.has(rule)).map(({ html }) => html),
    [],
  )
})
