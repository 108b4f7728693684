"""The words of mogi: frozen dataclasses and protocols; standard library only, no I/O."""
