import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBlocks } from '../document/read-blocks.ts'
import { writeMarkdown } from '../document/write-markdown.ts'
import { toReadableTree } from '../extract-page.ts'

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
    '$y=\\frac{x^{2}}{\\sqrt{\\alpha }}$',
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
