"""What is linted here is text: nobody imports or runs it."""

collect_ignore = ["snippets", "incident"]
