import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { checkPage } from './check-page.ts'
import { createPageModel } from './page-model.ts'

const ALL = { level: 'AAA', standard: 'wcag22', hasBestPractices: true } as const

function check(body: string, options: Partial<Parameters<typeof checkPage>[1]> = {}) {
  const isWhole = /<html/.test(body)
  const html = isWhole ? body : `<html lang="en"><head><title>Tides</title></head><body>${body}</body></html>`
  return checkPage(createPageModel({ html, url: 'https://example.com/' }), { ...ALL, ...options })
}
const rulesOf = (body: string) => check(body).findings.map(({ rule }) => rule)
const finds = (rule: string, ...bodies: readonly string[]) => {
  for (const body of bodies) assert.ok(rulesOf(body).includes(rule), `${rule} should fail on ${body}`)
}
const doesNotFind = (rule: string, ...bodies: readonly string[]) => {
  for (const body of bodies) assert.ok(!rulesOf(body).includes(rule), `${rule} should not fail on ${body}`)
}

test('a finding contains its criteria, its location and a help link', () => {
  const { findings } = check('<main><figure><img src=a.png></figure><figure><img src=b.png></figure></main>')
  assert.deepEqual(
    findings.find(({ rule }) => rule === 'image-alt')?.nodes.map(({ selector, html }) => [selector, html]),
    [
      ['body > main > figure:nth-of-type(1) > img', '<img src=a.png>'],
      ['body > main > figure:nth-of-type(2) > img', '<img src=b.png>'],
    ],
  )
  const [first] = findings
  assert.equal(first?.helpUrl, 'https://www.w3.org/WAI/standards-guidelines/act/rules/23a2a8/')
  assert.deepEqual(
    first?.criteria.map(({ sc, level }) => [sc, level]),
    [['1.1.1', 'A']],
  )
})

test('a file name is not a text alternative, except in a link that downloads the file', () => {
  const rule = 'image-alt-words'
  finds(
    rule,
    '<img src=/p/harbour.jpeg alt=harbour.jpeg>',
    '<img src=/p/x.png alt=IMG_2837>',
    '<input type=image src=/login.png alt=login.png>',
  )
  doesNotFind(
    rule,
    '<a href=/p/harbour.jpeg download>Save <img src=/p/harbour.jpeg alt=harbour.jpeg></a>',
    '<img src=/p/harbour alt=Harbour>',
    '<img src=/p/harbour.jpeg alt="harbour.jpeg" aria-label="The harbour">',
    '<img src=/p/harbour.jpeg alt="harbour.jpeg" style="display:none">',
  )
  const { needsReview } = check('<img src=a.png alt=photo>')
  assert.ok(needsReview.some((one) => one.rule === rule))
})

test('canvas text drawn by a script needs a text alternative on the page', () => {
  const rule = 'hidden-picture-decorative'
  const write = "<script>chart.querySelector('#c').getContext('2d').fillText('Tides of May', 9, 9)</script>"
  finds(rule, `<canvas id=c></canvas>${write}`, `<canvas id=c role=none></canvas>${write}`)
  doesNotFind(
    rule,
    `<canvas id=c></canvas><p>The <b>tides</b> of May</p>${write}`,
    `<canvas id=c aria-label="Tides of May" role=img></canvas>${write}`,
    `<canvas id=c>A chart</canvas>${write}`,
    `<canvas id=c style="display:none"></canvas>${write}`,
    // The script does not show which of the two canvases it draws on.
    `<canvas id=c></canvas><canvas id=d></canvas>${write.replace('9)', "9) || d('#d')")}`,
    "<canvas id=c></canvas><script>get('c').fillRect(0, 0, 9, 9)</script>",
    "<canvas id=c></canvas><script>get('c').fillText('2026', 9, 9)</script>",
  )
})

test('a hidden image with a text alternative needs human review', () => {
  const reviewed = (body: string) =>
    check(body).needsReview.some((one) => one.rule === 'hidden-picture-decorative')
  assert.ok(reviewed('<img src=a.png alt="The harbour" aria-hidden=true>'))
  assert.ok(reviewed('<img src=a.png alt="The harbour" role=none>'))
  assert.ok(!reviewed('<img src=a.png alt="">'))
  assert.ok(!reviewed('<img src=a.png alt="The harbour" aria-hidden=true style="display:none">'))
})

test('the conformance level and the WCAG version select the rules', () => {
  const page = '<p style="color:#666">grey words</p><i id=a></i><i id=a></i>'
  // #666 on white is 5.74:1, enough for AA but not for AAA; WCAG 2.2 removed 4.1.1.
  const rules = (options: Partial<typeof ALL> | object) =>
    check(page, { hasBestPractices: false, ...options }).findings.map(({ rule }) => rule)
  assert.deepEqual(rules({}), ['color-contrast-enhanced'])
  assert.deepEqual(rules({ level: 'AA' }), [])
  assert.deepEqual(rules({ level: 'AA', standard: 'wcag21' }), ['duplicate-id'])
})

test('names come from references, labels, content and titles; hidden content adds nothing', () => {
  doesNotFind('link-name', '<a href=/><img src=a alt=Home></a>', '<a href=/ title=Home></a>')
  finds('link-name', '<a href=/><img src=a alt=""></a>', '<a href=/><span aria-hidden=true>x</span></a>')
  doesNotFind(
    'label',
    '<label>Name <input></label>',
    '<label for=a>Name</label><input id=a>',
    '<p id=l hidden>Name</p><input aria-labelledby=l>',
  )
  finds(
    'label',
    '<p>Name</p><input>',
    '<input aria-label=" ">',
    '<label>Name <div role=textbox></div></label>',
  )
  finds('button-name', '<button></button>', '<button value=go></button>', '<button role=none></button>')
  doesNotFind(
    'button-name',
    '<input type=submit>',
    '<button style="display:none"></button>',
    '<button role=none disabled></button>',
  )
})

test('the cascade determines which colours are compared', () => {
  finds(
    'color-contrast',
    '<style>p{color:#777}.d p{color:#888!important}</style><div class=d><p style="color:#000">words</p></div>',
  )
  doesNotFind('color-contrast', '<style>@media print{p{color:#eee}} p:hover{color:#eee}</style><p>words</p>')
  finds('color-contrast', '<style>:root{--ink:#999}p{color:var(--ink, red)}</style><p>words</p>')
  doesNotFind(
    'color-contrast',
    '<p style="color:#777;font-size:24px">large words</p>',
    '<button style="color:#777" disabled>words</button>',
  )
  // Half black over white is 127.5: a contrast of 3.98.
  finds('color-contrast', '<div style="opacity:.5"><p>words</p></div>')
})

test('text over an image, or with unread style sheets, needs human review', () => {
  const over = check('<p style="color:#777;background:url(a.png)">words</p>')
  assert.ok(over.needsReview.some(({ rule }) => rule === 'color-contrast'))
  const unread = check('<link rel=stylesheet href=/a.css><p style="color:#777">words</p>')
  assert.ok(!unread.findings.some(({ rule }) => rule === 'color-contrast'))
  assert.ok(unread.needsReview.some(({ rule }) => rule === 'color-contrast'))
})

test('ARIA attributes and roles are checked against the tables of WAI-ARIA 1.2', () => {
  finds('aria-valid-attr', '<div aria-labelled=x></div>')
  finds('aria-valid-attr-value', '<div role=row aria-rowindex=2.5></div>', '<p aria-live=page></p>')
  finds('aria-roles', '<span role=lnik>x</span>')
  doesNotFind('aria-roles', '<input role="searchfield searchbox" aria-label=x>', '<p role="">x</p>')
  finds('aria-required-attr', '<div role=heading>x</div>', '<div role=separator tabindex=0></div>')
  doesNotFind(
    'aria-required-attr',
    '<input type=checkbox role=switch aria-label=x>',
    '<div role=separator></div>',
  )
  finds('aria-allowed-attr', '<button aria-sort="">x</button>', '<div aria-label=x></div>')
  finds('aria-required-parent', '<div role=listitem>x</div>')
  doesNotFind('aria-required-parent', '<div role=list aria-owns=a></div><p id=a role=listitem>x</p>')
  finds('aria-required-children', '<div role=list><span>x</span></div>')
  finds('aria-hidden-focus', '<div aria-hidden=true><a href=/ >x</a></div>')
  doesNotFind('aria-hidden-focus', '<div aria-hidden=true><button tabindex=-1>x</button></div>')
})

test('a header cell without data cells and a headers attribute with an unknown id are found', () => {
  finds('th-has-data-cells', '<table><tr><th>Rate<th>Value<tr><td>15 %</table>')
  doesNotFind('th-has-data-cells', '<table><tr><th>A<th>B<tr><td colspan=2>15 %</table>')
  finds('td-headers-attr', '<table><tr><th id=a>A<tr><td headers=b>1</table>')
})

test('languages must be in the IANA registry', () => {
  finds(
    'html-lang-valid',
    '<html lang=em-US><title>x</title></html>',
    '<html lang=eng><title>x</title></html>',
  )
  doesNotFind(
    'html-lang-valid',
    '<html lang=FR><title>x</title></html>',
    '<html lang=haw><title>x</title></html>',
  )
  finds('valid-lang', '<p lang=dutch>Zij liepen</p>')
  doesNotFind('valid-lang', '<p lang=dutch><b lang=nl>Zij liepen</b></p>', '<p lang=dutch hidden>Zij</p>')
})

test('any markup can be checked, and every score is between 0 and 100', () => {
  const pieces = fc.constantFrom(
    '<table>',
    '<tr>',
    '<th>',
    '<td headers=a>',
    '</table>',
    '<label for=a>',
    '<input id=a role=none>',
    '<svg>',
    '<a href=#a>',
    '<p style="color:var(--a);--a:var(--a)">',
    'words',
    '<div role=list aria-owns=a>',
    '</div>',
    '<style>p{',
    '}</style>',
    '<b id=a aria-labelledby=a>',
    '<iframe srcdoc="<a href=/>">',
    '<details><summary>',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const { score } = check(parts.join(''))
      assert.ok(score !== null && score >= 0 && score <= 100)
    }),
    { numRuns: 60 },
  )
})

test('references that fan out do not slow down the check', () => {
  const ids = Array.from({ length: 40 }, (_, at) => at)
  const fan = ids.map((at) => `<b id=n${at} role=button aria-owns="n${at + 1} n${at + 1}"></b>`).join('')
  // There are two to the power of 40 paths below each name.
  finds('button-name', fan)
})
