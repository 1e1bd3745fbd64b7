import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { parseTree } from '../html-tree.ts'
import { readBlocks } from './read-blocks.ts'
import { writeMarkdown } from './write-markdown.ts'
import { writeText } from './write-text.ts'

const BASE = 'https://example.com/a/post'
const toMarkdown = (html: string, { links = true, images = true } = {}) =>
  writeMarkdown(
    readBlocks(parseTree(html), { baseUrl: BASE, includeLinks: links, includeImages: images }),
  ).trimEnd()

const CASES: Readonly<Record<string, readonly (readonly [html: string, markdown: string])[]>> = {
  'headings, paragraphs and rules': [
    ['<h1>One</h1><p>Two\n words</p><hr><h3>Three #</h3>', '# One\n\nTwo words\n\n___\n\n### Three \\#'],
    ['<div>Loose <span>text</span><div>and more</div>end</div>', 'Loose text\n\nand more\n\nend'],
    ['<p>one<br>two</p>', 'one  \ntwo'],
    // A row of dashes below text would start a table.
    ['<p>a | b<br>--- | ---</p>', 'a | b  \n\\--- | ---'],
    ['<p>a<br>:-:</p><p>:<br>- or</p>', 'a  \n\\:-:\n\n:  \n\\- or'],
    ['<h3><button>Who pays?</button></h3><p>You.</p><button>Send</button>', '### Who pays?\n\nYou.'],
  ],
  'emphasis, also nested, inside words and with spaces at its edges': [
    ['<p><b>Note:&nbsp;</b>text</p>', '**Note:**\u00a0text'],
    ['<p><code>npm</code><code>run</code></p>', '`npmrun`'],
    ['<p>a<img alt="b">c</p><pre></pre>', 'ac'],
    ['<p>a <em>b</em> <strong>c</strong> <del>d</del></p>', 'a *b* **c** ~~d~~'],
    ['<p><em>a <strong>b</strong></em></p>', '*a __b__*'],
    ['<p>un<em>frigging</em>believable</p>', 'un*frigging*believable'],
    ['<p>a<b> bold </b>c</p>', 'a **bold** c'],
    ['<p><b>a<b>b</b><i>c<b>d</b></i></b></p>', '**ab*cd***'],
    ['<p><i>one<br>\n</i><i>two<br></i></p>', '*one*  \n*two*'],
    ['<p>&nbsp;a&nbsp;</p><p>&nbsp;</p><p><b>&nbsp;</b><br></p>', 'a'],
    ['<p><b></b>nothing<i> </i></p>', 'nothing'],
  ],
  'exponents and indexes, but no ordinals, notes and formulas': [
    ['<p>10<sup>6</sup>, x<sup>-2</sup> and 5<sub>10</sub></p>', '10^6, x^-2 and 5_10'],
    ['<p>log<sub>2</sub> 8</p>', 'log2 8'],
    ['<p>x<sup>2n</sup> + x<sup>n+1</sup> = e<sup>-t</sup>A<sup>T</sup></p>', 'x^(2n) + x^(n+1) = e^(-t)A^T'],
    ['<p><i>a<sub>i</sub></i>, V<sub>in</sub> and <i>x</i><sub>n+1</sub></p>', '*a_i*, V_in and *x*\\_(n+1)'],
    [
      '<p>2<sup>nd</sup> M<sup>me</sup> Lee<sup>1-3</sup> 1<sup>a</sup> CO<sub>2e</sub></p>',
      '2nd Mme Lee1-3 1a CO2e',
    ],
    ['<p>1<sup>st</sup> H<sub>2</sub>O ™<sup>2</sup></p>', '1st H2O ™2'],
    ['<p>Sea<sup><a href="#n">1</a></sup></p>', `Sea[1](${BASE}#n)`],
  ],
  'links around cards': [
    [
      '<a href="/b"><img src="/i.png" alt=""><h3>Boats</h3><p>Two.</p></a>',
      '![](https://example.com/i.png)\n\n### [Boats](https://example.com/b)\n\nTwo.',
    ],
    ['<a href="/b"><div>Boats</div><div>Two.</div></a>', '[Boats](https://example.com/b)\n\nTwo.'],
    ['<a href="javascript:x"><div>Boats</div></a>', 'Boats'],
    ['<p>a<a href="/b"><i></i></a></p>', 'a'],
  ],
  'lists: tight, loose, nested, numbered and with checkboxes': [
    ['<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>', '- a\n- b\n  - c'],
    ['<ul><li><p>a</p></li><li><p>b</p></li></ul>', '- a\n\n- b'],
    ['<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
    ['<ol start="999999999"><li>a</li><li>b</li></ol>', '1. a\n2. b'],
    ['<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
    ['<ul>Fruit <b>only</b><li>a</li><ul><li>b</li></ul></ul>', '- Fruit **only**\n- a\n  - b'],
    ['<ol><div><li>a</li><li>b</li></div></ol>', '1. a\n2. b'],
    [
      '<ul><li><input type=checkbox checked>done</li><li><input type=checkbox>open</li></ul>',
      '- [x] done\n- [ ] open',
    ],
  ],
  'code with its language, wherever the page declares it': [
    ['<pre><code class="language-ts">let a = 1\n</code></pre>', '```ts\nlet a = 1\n```'],
    ['<div class="highlight-source-rust"><pre>fn a() {}</pre></div>', '```rust\nfn a() {}\n```'],
    ['<pre data-lang="sh">a\n\n  b</pre>', '```sh\na\n\n  b\n```'],
    ['<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['<p>Call <code>a`b</code></p>', 'Call ``a`b``'],
    ['<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>b</pre>', '```\na\nb\n```'],
    ['<pre><button>Copy</button>a</pre>', '```\na\n```'],
    [
      '<table><tr><td class="gutter"><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>',
      '```\na\nb\n```',
    ],
  ],
  'data tables with spans, and layout tables': [
    [
      '<table><tr><th>Port</th><th align=right>m</th></tr><tr><td>A|B</td><td>12</td></tr></table>',
      '| Port | m |\n| --- | ---: |\n| A\\|B | 12 |',
    ],
    [
      '<table><tr><th colspan=2>Both</th></tr><tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr></table>',
      '| Both |  |\n| --- | --- |\n| x | 1 |\n|  | 2 |',
    ],
    [
      '<table><tr><td><h2>News</h2><ul><li><p>a</p><pre>b</pre></li></ul></td><td>side</td></tr></table>',
      '## News\n\n- a\n\n  ```\n  b\n  ```\n\nside',
    ],
  ],
  'what a table has outside of its rows and cells': [
    [
      '<table><thead><th>A</th><th>B</th></thead><tr><td>1</td><td>2</td></tr></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      '<table>Note<form><tr><td>1</td><td>2</td></tr><tr><p>P</p><td>3</td><td>4</td></tr></form></table>',
      'Note\n\nP\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |',
    ],
  ],
  'links and images: absolute URLs, titles and special characters': [
    ['<a href="../b?x=1&amp;y=2" title="T">b</a>', '[b](https://example.com/b?x=1&y=2 "T")'],
    ['<a href="/a(b)">x</a>', '[x](https://example.com/a\\(b\\))'],
    ['<a href="https://example.com/x">https://example.com/x</a>', '<https://example.com/x>'],
    ['<img src="i.png" alt="An [i]">', '![An \\[i\\]](https://example.com/a/i.png)'],
    ['<img src="data:image/gif;base64,R0" data-src="/real.png" alt="">', '![](https://example.com/real.png)'],
    ['<a href="/card"><h2>Card</h2><p>Words</p></a>', '## [Card](https://example.com/card)\n\nWords'],
  ],
  'links with javascript: or data: targets keep only their text': [
    ['<a href="javascript:alert(1)">go</a>', 'go'],
    ['<a href=" java\nscript:alert(1)">go</a>', 'go'],
    ['<a href="data:text/html,x">go</a> <a href="vbscript:x">on</a>', 'go on'],
    ['<img src="data:image/png;base64,AA" alt="x">', ''],
  ],
  'text that looks like Markdown stays literal': [
    ['<p>1. no list</p>', '1\\. no list'],
    ['<p># no heading</p>', '\\# no heading'],
    ['<p>- no bullet</p>', '\\- no bullet'],
    [
      '<p>a * b, snake_case, *x* &lt;b&gt; &amp;amp; [y](z)</p>',
      'a * b, snake_case, \\*x\\* \\<b> \\&amp; \\[y\\](z)',
    ],
    ['<p>&gt; no quote</p>', '\\> no quote'],
    ['<p>about ~5</p><p>a~b~c ~d</p>', 'about ~5\n\na\\~b\\~c ~d'],
    ['<p>[x] * y</p>', '\\[x\\] * y'],
  ],
  quotes: [['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b']],
  'formulas as their TeX source': [
    ['<math alttext="[a](javascript:b)"></math>', '$\\[a\\](javascript:b)$'],
    ['<math alttext="x^2"><mi>x</mi></math>', '$x^2$'],
    [
      '<p>So <math><semantics><mi>y</mi><annotation encoding="application/x-tex">y_1</annotation></semantics></math></p>',
      'So $y_1$',
    ],
  ],
}

for (const [name, cases] of Object.entries(CASES))
  test(name, () => {
    for (const [html, markdown] of cases) assert.equal(toMarkdown(html), markdown, html)
  })

test('without links and images their text stays and their targets are dropped', () => {
  const html = '<p><a href="/x">word</a><img src="/i.png" alt="alt"></p>'
  assert.equal(toMarkdown(html, { links: false, images: false }), 'word')
})

test('any nesting of elements is written within a second, and no target runs a script', () => {
  const names = [
    'div',
    'p',
    'ul',
    'li',
    'b',
    'em',
    'a href="javascript:x"',
    'table',
    'tr',
    'td',
    'blockquote',
    'h2',
    'pre',
    'code',
    'br',
    'a href=y',
    'img src="data:x"',
  ]
  const tag = fc.constantFrom(
    ...names.flatMap((name) => [`<${name}>`, `</${name.split(' ')[0]}>`, '*', ' x ']),
  )
  fc.assert(
    fc.property(fc.array(tag, { maxLength: 80 }), (tags) => {
      const markdown = toMarkdown(tags.join(''))
      assert.doesNotMatch(markdown, /\]\(\s*<?(?:javascript|data):/i)
      // The output is stable: only white space at the ends of lines may differ.
      assert.equal(markdown, toMarkdown(tags.join('')))
    }),
  )
})

test('a line of 64,000 inline parts is written long before the deadline of its job', () => {
  const before = process.cpuUsage()
  toMarkdown(`<p>${'<b>x</b> <span>y</span>'.repeat(16_000)}</p>`)
  // Linear work takes a fraction of a second; copying the line for each part took minutes.
  assert.ok(process.cpuUsage(before).user < 8_000_000)
})

test('a code listing of 200,000 lines is written', () => {
  const html = `<ul><li>${'`````'}<pre>${'``` x\n'.repeat(200_000)}</pre></li></ul>`
  assert.equal(toMarkdown(html).split('\n').length, 1 + 2 + 200_000)
})

test('text output contains only the words of a document', () => {
  const tree = parseTree('<h1>A</h1><p>b <a href="/x">c</a></p><ul><li>d</li><li>e</li></ul>')
  assert.equal(
    writeText(readBlocks(tree, { baseUrl: BASE, includeLinks: true, includeImages: true })),
    'A\n\nb c\n\nd\ne',
  )
})
