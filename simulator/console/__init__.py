"""How anything is laid out on a terminal: texts come in, harmless ones within a width go out.

`layout` cuts and wraps by cells, `blocks` puts screens together, `palette` has the colours, and
`output` writes: text, views and JSON, without a control character of foreign texts.
"""
