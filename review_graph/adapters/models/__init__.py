"""Chat models behind one port: any OpenAI-compatible endpoint, any of LangChain's, and a scripted one."""
