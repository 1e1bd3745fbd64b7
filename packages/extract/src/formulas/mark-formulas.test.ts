import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBlocks } from '../document/read-blocks.ts'
import { writeMarkdown } from '../document/write-markdown.ts'
import { extractPage, toReadableTree } from '../extract-page.ts'

const OPTIONS = { baseUrl: 'https://example.com/', includeLinks: true, includeImages: true }
const markdownOf = (html: string) => writeMarkdown(readBlocks(toReadableTree(html), OPTIONS)).trim()
const math = (inner: string, attributes = '') => `<math ${attributes}><semantics>${inner}</semantics></math>`

test('a formula of KaTeX is its TeX, once', () => {
  const katex = `<span class="katex"><span class="katex-mathml">${math(
    '<mrow><msup><mi>n</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">k_{n+1} = n^2</annotation>',
  )}</span><span class="katex-html" aria-hidden="true">kn+1=n2</span></span>`
  assert.equal(markdownOf(`<p>So ${katex} holds.</p>`), 'So $k_{n+1} = n^2$ holds.')
  assert.equal(markdownOf(`<p><span class="katex-display">${katex}</span></p>`), '$$k_{n+1} = n^2$$')
})

test('a script with TeX is a formula, and what MathJax drew for it is dropped', () => {
  const drawn = '<span class="MathJax_Preview">x</span><span class="MathJax"><nobr>x</nobr></span>'
  assert.equal(markdownOf(`<p>Let ${drawn}<script type="math/tex">x_1</script> be.</p>`), 'Let $x_1$ be.')
  assert.equal(markdownOf('<script type="math/tex; mode=display">a+b</script>'), '$$a+b$$')
})

test('hidden MathML with an image of the same formula is one formula', () => {
  const element = `<span class="element"><span style="display: none;">${math(
    '<mi>A</mi><annotation encoding="application/x-tex">{\\displaystyle A}</annotation>',
    'alttext="{\\displaystyle A}"',
  )}</span><img src="a.svg" class="mwe-math-fallback-image-inline" alt="{\\displaystyle A}"></span>`
  assert.equal(markdownOf(`<p>The set ${element} is ${element} again.</p>`), 'The set $A$ is $A$ again.')
})

test('MathML without a source is written as TeX', () => {
  const fraction = '<mfrac><msup><mi>x</mi><mn>2</mn></msup><msqrt><mi>α</mi></msqrt></mfrac>'
  assert.equal(
    markdownOf(`<p><math><mrow><mi>y</mi><mo>=</mo>${fraction}</mrow></math></p>`),
    '$y=\\frac{x^{2}}{\\sqrt{\\alpha}}$',
  )
})

test('an image is a formula if its text or its address is TeX', () => {
  assert.equal(markdownOf('<p><img src="a.png" alt="\\frac{a}{b}"></p>'), '$\\frac{a}{b}$')
  assert.equal(markdownOf('<p><img src="/svg?%5Cfrac%7Ba%7D%7Bb%7D"></p>'), '$\\frac{a}{b}$')
  assert.equal(
    markdownOf('<p><img src="/a.png" alt="C:\\temp"></p>'),
    '![C:\\\\temp](https://example.com/a.png)',
  )
})

const char = (code: string) => `<mjx-c class="mjx-c${code} TEX-I"></mjx-c>`
const token = (name: string, code: string) => `<mjx-${name}>${char(code)}</mjx-${name}>`
const container = (inner: string) =>
  `<mjx-container class="MathJax" jax="CHTML" display="true"><mjx-math>${inner}</mjx-math></mjx-container>`

test('what MathJax 3 draws as HTML is read without a source', () => {
  const power = `<mjx-msup>${token('mi', '1D465')}<mjx-script>${token('mn', '32')}</mjx-script></mjx-msup>`
  const line = '<mjx-dbox><mjx-dtable><mjx-line></mjx-line><mjx-row>'
  const half = `<mjx-mfrac><mjx-frac><mjx-num>${token('mn', '31')}</mjx-num>${line}<mjx-den>${token('mn', '32')}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>`
  const root = `<mjx-msqrt><mjx-sqrt><mjx-surd>${token('mo', '221A')}</mjx-surd><mjx-box>${token('mi', '1D6FC')}</mjx-box></mjx-sqrt></mjx-msqrt>`
  const sum = `<mjx-munderover><mjx-over>${token('mi', '1D45B')}</mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base>${token('mo', '2211')}</mjx-base></mjx-row><mjx-row><mjx-under>${token('mi', '1D458')}</mjx-under></mjx-row></mjx-munder></mjx-box></mjx-munderover>`
  assert.equal(
    markdownOf(`<p>So ${container(sum + power + token('mo', '3D') + half + root)} holds.</p>`),
    'So $$\\sum_{k}^{n}x^{2}=\\frac{1}{2}\\sqrt{\\alpha}$$ holds.',
  )
})

test('what MathJax 3 draws as SVG is read without a source', () => {
  const glyph = (node: string, code: string, place = '') =>
    `<g data-mml-node="${node}"${place && ` transform="${place}"`}><use data-c="${code}" xlink:href="#MJX-TEX-I-${code}"></use></g>`
  const both = `<g data-mml-node="msubsup">${glyph('mi', '1D465')}${glyph('mn', '32', 'translate(605,363)')}${glyph('mi', '1D456', 'translate(605,-247)')}</g>`
  const fraction = `<g data-mml-node="mfrac">${glyph('mi', '1D44E')}${glyph('mi', '1D44F')}<rect width="9"></rect></g>`
  const svg = `<svg><g><g data-mml-node="math">${both}${glyph('mo', '2264')}${fraction}</g></g></svg>`
  assert.equal(
    markdownOf(`<p><mjx-container jax="SVG">${svg}</mjx-container></p>`),
    '$x_{i}^{2}\\leq\\frac{a}{b}$',
  )
})

test('the source that MathJax 4 keeps is the formula', () => {
  const drawn = `<mjx-container class="MathJax"><mjx-math data-latex="\\mathbb{R}^n">${token('mi', '211D')}</mjx-math></mjx-container>`
  assert.equal(markdownOf(`<p>In ${drawn}.</p>`), 'In $\\mathbb{R}^n$.')
})

test('each of several scripts with TeX is a formula, also with what was drawn for it in front', () => {
  const script = (tex: string) => `<script type="math/tex">${tex}</script>`
  const drawn = '<span class="MathJax" data-mathml="&lt;math&gt;&lt;mi&gt;b&lt;/mi&gt;&lt;/math&gt;">b</span>'
  assert.equal(markdownOf(`<p>${script('a')} ${drawn}${script('b')} ${script('c')}</p>`), '$a$ $b$ $c$')
  assert.equal(markdownOf(`<p>Let ${drawn} be.</p>`), 'Let $b$ be.')
})

test('numbered equations have a tag', () => {
  const label = '<mtd><mtext>(1.2)</mtext></mtd>'
  assert.equal(
    markdownOf(
      `<math display="block"><mtable><mlabeledtr>${label}<mtd><mi>x</mi></mtd></mlabeledtr></mtable></math>`,
    ),
    '$$x \\tag{1.2}$$',
  )
})

test('TeX in the text is a formula, prices and code are not', () => {
  assert.equal(
    markdownOf('<p>With \\(x_1\\) and \\[a &lt;b\\] or $$\\frac{a}{b}$$.</p>'),
    'With $x_1$ and $$a < b$$ or $$\\frac{a}{b}$$.',
  )
  assert.equal(
    markdownOf('<p>$$\\begin{matrix}1\\\\<br>2\\end{matrix}$$</p>'),
    '$$\\begin{matrix}1\\\\ 2\\end{matrix}$$',
  )
  assert.equal(markdownOf('<p>from $5 to $10, $$ - $$$</p>'), 'from $5 to $10, $$ - $$$')
  assert.equal(markdownOf('<p><code>\\(x\\)</code></p>'), '`\\(x\\)`')
  assert.equal(
    markdownOf('<p>where $\\alpha_1$ costs $5 and $x is</p>'),
    'where $\\alpha_1$ costs $5 and $x is',
  )
  const config = "<script>MathJax = { tex: { inlineMath: [['$', '$']] } }</script>"
  assert.equal(markdownOf(`${config}<p>where $x+y$ costs $5 to $6.</p>`), 'where $x+y$ costs $5 to $6.')
  assert.equal(markdownOf('<p><span class="math-container">$*a*$</span></p>'), '$*a*$')
})

test('a formula of which nothing can be read is removed and counted', () => {
  const katex = '<span class="katex"><span class="katex-html" aria-hidden="true">kn+1</span></span>'
  const html = `<h1>Growth</h1><p>The number of rabbits in each year follows from those of the year before, so that ${katex} holds for all.</p>`
  const { tree, dropped } = extractPage(html, 'https://example.com/', {
    isMainOnly: false,
    includeImages: true,
  })
  assert.doesNotMatch(writeMarkdown(readBlocks(tree, OPTIONS)), /kn/)
  assert.equal(dropped?.formulas, 1)
})

test('dollar signs, comments and syntax of Markdown in a source are written in other ways', () => {
  const script = (tex: string) => `<p><script type="math/tex">${tex}</script></p>`
  assert.equal(markdownOf(script('a \\text{ if $b$}')), '$a \\text{ if \\(b\\)}$')
  assert.equal(markdownOf(script('a % sum\n+ 50\\% [b](c)')), '$a + 50\\% [b] (c)$')
  assert.equal(markdownOf(script('{\\displaystyle a}+{b}c')).slice(1, -1), '{\\displaystyle a}+{b}c')
})
